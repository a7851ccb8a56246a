import type { CreatedToken } from "@envkeep/contract"
import { expect, test } from "vitest"
import { envkeep } from "./command.ts"
import { loginWorld } from "./login-world.ts"

const showAndStay = [
  process.execPath,
  "-e",
  "process.on('SIGTERM', () => { console.log('bye ' + process.env.A); process.exit(0) });" +
    "console.log('started with ' + process.env.A); setInterval(() => 0, 1000)",
]

const restarting = "envkeep: the variables have changed: restarting the command\n"
const waiting = "envkeep: the command failed with exit code 5: waiting for the variables to change\n"

/** The first versions of Node 20 do not have it. */
const withoutAnySignal = { NODE_OPTIONS: "--import data:text/javascript,delete%20AbortSignal.any" }

/** Resolves when the next piece of standard error has this word. */
function said({ child }: ReturnType<typeof envkeep>, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.stderr.on("data", (text: string) => text.includes(word) && resolve())
  })
}

test("by a login, --watch restarts the command on change, and warns once of what is not there to leave out", async () => {
  const { env, cwd, bulk } = await loginWorld()
  const command = ["run", "--watch", "--except", "NONE", "--", ...showAndStay]
  const run = envkeep(command, { env: { ...env, ...withoutAnySignal }, cwd })
  expect(await run.line()).toBe("started with 1")
  for (const [before, after] of [
    ["1", "2"],
    ["2", "3"],
  ] as const) {
    await bulk([{ name: "A", value: after }])
    expect([await run.line(), await run.line()]).toEqual([`bye ${before}`, `started with ${after}`])
  }
  run.child.kill("SIGTERM")
  const extra = 'envkeep: nothing to leave out: the environment has no variable "NONE"\n'
  expect(await run.ended).toMatchObject({ code: 0, err: extra + restarting + restarting })
})

test("by a login too, a variable of --only that is deleted is named once, and the command keeps running with it", async () => {
  const [a, b] = [
    { name: "A", value: "1" },
    { name: "B", value: "1" },
  ]
  const { env, cwd, bulk } = await loginWorld([b, a])
  const run = envkeep(["run", "--watch", "--only", "A,B", "--", ...showAndStay], { env, cwd })
  expect(await run.line()).toBe("started with 1")
  const warned = said(run, "no longer")
  await bulk([b])
  await warned
  await bulk([b, { name: "C", value: "not asked for" }])
  await bulk([b, a])
  await bulk([b, { ...a, value: "2" }])
  expect([await run.line(), await run.line()]).toEqual(["bye 1", "started with 2"])
  run.child.kill("SIGTERM")
  const missing = 'envkeep: the environment no longer has the variable "A": the last good values stay in use\n'
  expect(await run.ended).toMatchObject({ code: 0, err: missing + restarting })
})

test("a run that waits for a change ends with one line when its login can no longer read the environment", async () => {
  const { ann, user, environment, env, cwd } = await loginWorld()
  const bob = await user()
  await ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role: "reader" })
  const { token } = (await bob.post<CreatedToken>("/users/me/tokens", { name: "machine", scope: "read" })).body.data
  const start = (more: Record<string, string>) =>
    envkeep(["run", "--watch", "--", "sh", "-c", "exit 5"], { env: { ...env, ...more }, cwd })
  const line = (text: string) => ({ code: 5, out: "", err: `${waiting}envkeep: ${text}\n` })

  const ofReader = start({ ENVKEEP_TOKEN: token })
  await said(ofReader, "waiting")
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  expect(await ofReader.ended).toEqual(line("this login sees the names of this environment, but not its values"))

  const ofOwner = start({})
  await said(ofOwner, "waiting")
  await ann.delete(`/subcollection/${environment.id}`)
  expect(await ofOwner.ended).toEqual(line(`the server at ${env.ENVKEEP_URL} says: Environment not found`))
})

test("a run that waits for a change ends with one line when its collection is deleted", async () => {
  const { ann, environment, env, cwd } = await loginWorld()
  const run = envkeep(["run", "--watch", "--", "sh", "-c", "exit 5"], { env, cwd })
  await said(run, "waiting")
  await ann.delete(`/collection/${environment.collectionId}`)
  // Which of the two it hears first is up to the network.
  const reason = /\nenvkeep: (the login is no longer valid|the server at .* says: Environment not found)\n$/
  expect(await run.ended).toEqual({ code: 5, out: "", err: expect.stringMatching(reason) })
})
