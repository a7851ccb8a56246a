import { expect, test } from "vitest"
import { cli, inTerminal } from "./command.ts"
import { loginWorld } from "./login-world.ts"

const erase = "\u001b[2K"
const override = "\u202e"
/** Our colours, and how Node asks a question. */
const ours = new RegExp(String.raw`${erase.charAt(0)}\[(?:(?:0|1|3[123])m|\d+[GJ])`, "g")

/** Names, values and texts that command a terminal. Collections were given such names before these were refused. */
async function hostileWorld() {
  const made = await loginWorld([{ name: `N${erase}${override}`, value: `one${erase}\r\n\ttwo${override}` }])
  const { db, ann, environment } = made
  await ann.post(`/collections/${environment.collectionId}/names`, [
    { name: "DESCRIBED", description: `first${erase}\nsecond${override}` },
  ])
  await db
    .updateTable("collection")
    .set({ name: `app${erase}${override}` })
    .execute()
  /** What is typed and not read would keep `script` waiting. */
  const onTerminal = async (args: string[], typed = "") => {
    const env = { ...made.env, ENVKEEP_COLLECTION: String(environment.collectionId), TERM: "xterm" }
    const { out } = await inTerminal([process.execPath, cli, ...args], { env, cwd: made.cwd, input: typed }).ended
    return out
  }
  return { ...made, onTerminal }
}

test("on a terminal, no command prints what the terminal would obey", async () => {
  const { onTerminal } = await hostileWorld()
  const commands = [["list"], ["list", "--show"], ["types"], ["print"], ["print", "--format", "json"], ["history"]]
  const more = [
    ["get", `N${erase}${override}`],
    ["set", "A=1"],
    ["get", `X${erase}${override}`],
  ]
  for (const args of [...commands, ...more]) {
    const out = (await onTerminal(args, args[0] === "set" ? "n\n" : "")).replace(ours, "")
    expect([args, out]).toEqual([args, expect.not.stringMatching(/(?![\r\n\t])[\p{Cc}\p{Bidi_Control}]/u)])
    expect(out.length).toBeGreaterThan(0)
  }
  expect(await onTerminal(["types"])).toContain("     * first?[2K\r\n     * second?\r\n")
})

test("on a pipe, a value is exact to the byte, and no name or description commands the terminal it ends up on", async () => {
  const { run, env, environment } = await hostileWorld()
  const more = { ...env, ENVKEEP_COLLECTION: String(environment.collectionId) }
  const value = `one${erase}\r\n\ttwo${override}`
  const pipe = async (args: string[]) => (await run(args, { env: more })).out
  expect(await pipe(["get", `N${erase}${override}`])).toBe(value)
  expect(JSON.parse(await pipe(["print", "--format", "json"]))).toEqual({ [`N${erase}${override}`]: value })
  for (const args of [["list"], ["list", "--json"], ["types"]]) {
    expect([args, await pipe(args)]).toEqual([args, expect.not.stringMatching(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)])
  }
})
