import { expect, test } from "vitest"
import { cli, inTerminal } from "./command.ts"
import { loginWorld } from "./login-world.ts"

const ctrl = { d: "\u0004", u: "\u0015" }
const arrow = { up: "\u001b[A", left: "\u001b[D" }

/** Types this in place of a value, and says how the command ends and what is stored then. */
async function type(keys: string) {
  const { env, cwd, ann, environment } = await loginWorld([])
  const set = inTerminal([process.execPath, cli, "set", "TYPED", "--yes"], { env, cwd })
  let shown = ""
  set.child.stdout.on("data", (piece) => {
    const isAsked = shown.includes("Value of TYPED: ")
    shown += piece
    if (!isAsked && shown.includes("Value of TYPED: ")) set.child.stdin.write(keys)
  })
  const { code, out } = await set.ended
  return { code, out, values: (await ann.itemsOf(environment)).map(({ value }) => value) }
}

test("a hidden value can be edited while it is typed", async () => {
  const { code, out, values } = await type(`mistyped${ctrl.u}right one${arrow.up}${arrow.left}x\u007f\r`)
  expect({ code, values }).toEqual({ code: 0, values: ["right one"] })
  for (const text of ["mistyped", "right", "one"]) expect(out).not.toContain(text)
})

test.each([
  ["several lines", "first line\rsecond line\r", "only one line can be typed"],
  ["a line and a part of another", "first line\rsecond", "only one line can be typed"],
  ["a tab", "one\ttwo\r", "a control character cannot be typed"],
])("a hidden value of %s is refused, not cut", async (_, keys, fault) => {
  const { code, out, values } = await type(keys)
  expect({ code, values }).toEqual({ code: 1, values: [] })
  expect(out).toContain(
    `envkeep: ${fault}: nothing was changed\r\nhint: read it from a file: envkeep set NAME --yes < file\r\n`,
  )
  expect(out).not.toContain("first line")
})

test("a line break at the end of what is pasted is not a second line", async () => {
  expect(await type("pasted value\r\n")).toMatchObject({ code: 0, values: ["pasted value"] })
})

test("Ctrl-D in place of a value stores none", async () => {
  const { code, out, values } = await type(ctrl.d)
  expect({ code, values }).toEqual({ code: 1, values: [] })
  expect(out).toContain("envkeep: stopped: nothing was changed\r\n")
})

test.each([
  [["set", "A=2"], "Save this to app/production, which is protected? [y/N] "],
  [["rollback", "1"], "Restore revision 1 of app/production, which is protected? [y/N] "],
])("a question about a protected environment says so: %j", async (args, question) => {
  const { env, cwd, ann, environment } = await loginWorld()
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  const asked = inTerminal([process.execPath, cli, ...args], { env, cwd })
  let shown = ""
  asked.child.stdout.on("data", (piece) => {
    const isAsked = shown.includes("[y/N] ")
    shown += piece
    if (!isAsked && shown.includes("[y/N] ")) asked.child.stdin.write("n\r")
  })
  const { code, out } = await asked.ended
  expect(code).toBe(1)
  expect(out).toContain(question)
  expect(out).toContain("envkeep: nothing was changed\r\n")
})
