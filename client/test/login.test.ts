import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { registerSecret } from "@envkeep/testing/leaks.ts"
import { expect, test } from "vitest"
import { Refusal } from "../src/api.ts"
import { nextPollMs } from "../src/commands/login.ts"
import { envkeep } from "./command.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { temporaryFolder, world } from "./world.ts"

type World = Awaited<ReturnType<typeof world>>

/** Logs in as a person would: runs the command, and decides in the browser about the code that it shows. */
async function logIn(
  { url, ann }: Pick<World, "url" | "ann">,
  home: string,
  { decide = "approve", env = {} }: { decide?: "approve" | "deny"; env?: Record<string, string> } = {},
) {
  const { child, ended } = envkeep(["login", url], { env: { XDG_CONFIG_HOME: home, ...env } })
  const userCode = await new Promise<string>((resolve) => {
    child.stderr.on("data", (piece) => {
      const [, code] = /confirm the code ([A-Z]{4}-[A-Z]{4})\n/.exec(String(piece)) ?? []
      if (code !== undefined) resolve(code)
    })
  })
  await ann.post(`/cli/logins/${decide}`, { userCode, ...(decide === "approve" && { scope: "write", days: 90 }) })
  return ended
}

const tokenNames = async ({ ann }: World) =>
  (await ann.get<{ name: string }[]>("/users/me/tokens")).body.data.map(({ name }) => name)

test("a login at two servers is confirmed in the browser, kept for its user only, and revoked by logout", async () => {
  const [one, other] = [await world(), await world()]
  const home = await temporaryFolder()
  const file = join(home, "envkeep/logins.json")
  const run = (...args: string[]) => envkeep(args, { env: { XDG_CONFIG_HOME: home } }).ended
  const logins = await Promise.all([logIn(one, home)])
  expect(logins[0]).toMatchObject({ code: 0, out: "" })
  expect(logins[0]?.err).toMatch(
    new RegExp(`^Open ${one.url}/cli/confirm and confirm .*\nenvkeep: logged in to ${one.url} as `),
  )
  expect([(await stat(file)).mode & 0o777, (await stat(join(home, "envkeep"))).mode & 0o777]).toEqual([0o600, 0o700])
  await logIn(other, home)
  for (const { token } of JSON.parse(await readFile(file, "utf8")).logins) registerSecret("a personal token", token)

  const who = JSON.parse((await run("whoami", "--server", one.url, "--json")).out)
  expect(who).toMatchObject({ server: one.url, email: one.ann.email, token: { scope: "write" } })
  // The last login counts, unless something else says which server.
  expect((await run("whoami")).out).toContain(other.ann.email)
  expect(await run("get", "A", "-c", "app", "-e", "production")).toEqual({ code: 0, out: "1", err: "" })

  // A new login of the machine replaces its token.
  await logIn(other, home)
  expect(await tokenNames(other)).toEqual([expect.stringMatching(/^envkeep CLI on .+ \(2\)$/)])
  expect(await run("logout")).toEqual({ code: 0, out: "", err: `envkeep: logged out of ${other.url}\n` })
  expect([await tokenNames(one), await tokenNames(other)]).toMatchObject([{ length: 1 }, []])
  expect(await run("logout", other.url)).toMatchObject({ code: 1, err: `envkeep: not logged in to ${other.url}\n` })

  await one.ann.delete(`/users/me/tokens/${(await one.ann.get<{ id: number }[]>("/users/me/tokens")).body.data[0]?.id}`)
  expect(await run("whoami")).toEqual({
    code: 1,
    out: "",
    err: `envkeep: the login at ${one.url} is no longer valid\nhint: run envkeep login ${one.url}\n`,
  })
  expect(await run("logout")).toMatchObject({ code: 0 })
  expect(await run("whoami")).toMatchObject({ code: 1, err: expect.stringContaining("no server given") })
})

test("a denied login is a failure, and so is a server that is away", async () => {
  const made = await world()
  const home = await temporaryFolder()
  const denied = await logIn(made, home, { decide: "deny" })
  expect([denied.code, denied.err.split("\n")[1]]).toEqual([1, "envkeep: the login was denied in the browser"])
  expect(await tokenNames(made)).toEqual([])
  expect(await envkeep(["login", "http://127.0.0.1:9"]).ended).toEqual({
    code: 1,
    out: "",
    err: "envkeep: the server at http://127.0.0.1:9 cannot be reached: connection refused\n",
  })
})

test("a login that cannot be kept is revoked, and says why", async () => {
  const made = await world()
  const home = await temporaryFolder()
  const file = join(home, "envkeep/logins.json")
  await mkdir(join(home, "envkeep"))
  await writeFile(file, "not JSON", { mode: 0o600 })
  const { code, err } = await logIn(made, home)
  expect([code, err.split("\n").slice(1)]).toEqual([
    1,
    [`envkeep: ${file} is damaged`, "hint: delete it, and log in again", ""],
  ])
  expect(await tokenNames(made)).toEqual([])
})

test("a login goes on when the server is away for a moment, is busy, or asks to wait", async () => {
  const made = await world()
  const proxy = await faultyProxy(made.url)
  const busy = answer("429 Too Many Requests", '{"error":true,"msg":"Too many requests"}', { "retry-after": "1" })
  // The login begins, and then it asks for its token.
  proxy.next = ["pass", "cut", answer("503 Service Unavailable"), busy, "pass"]
  const { code, err } = await logIn({ ...made, url: proxy.url }, await temporaryFolder())
  expect([code, err.split("\n").slice(1)]).toEqual([
    0,
    [
      `envkeep: the server at ${proxy.url} cannot be reached: the connection was closed: trying again`,
      expect.stringContaining(`envkeep: logged in to ${proxy.url} as `),
      "",
    ],
  ])
  expect(await tokenNames(made)).toHaveLength(1)
})

test("a machine whose clock is wrong by more than a code is valid can log in", async () => {
  const made = await world()
  const home = await temporaryFolder()
  for (const hours of [1, -1]) {
    const clock = join(home, "clock.cjs")
    await writeFile(clock, `const { now } = Date; Date.now = () => now() + ${hours} * 3_600_000`)
    const { code, err } = await logIn(made, home, { env: { NODE_OPTIONS: `--require ${clock}` } })
    expect([code, err]).toEqual([0, expect.stringContaining(`envkeep: logged in to ${made.url} as `)])
  }
})

test("a login that is refused ends, and one whose beginning is lost says nothing about a change", async () => {
  const made = await world()
  const proxy = await faultyProxy(made.url)
  proxy.next = ["pass", answer("400 Bad Request", '{"error":true,"msg":"No such login"}')]
  const refused = await logIn({ ...made, url: proxy.url }, await temporaryFolder())
  expect([refused.code, refused.err.split("\n")[1]]).toEqual([
    1,
    `envkeep: the server at ${proxy.url} says: No such login`,
  ])
  proxy.mode = answer("", "")
  const { code, err } = await envkeep(["login", proxy.url]).ended
  expect(code).toBe(1)
  expect(err).toMatch(/^envkeep: the server at \S+ cannot be reached: .*\n$/)
  expect(err).not.toContain("unknown whether")
})

test("a server that asks for a pause gets it, as long as the code is valid", () => {
  const [pauseMs, leftMs] = [2_000, 600_000]
  const after = (status: number, retryAfterMs: number) =>
    nextPollMs(new Refusal("refused", { status, retryAfterMs }), { pauseMs, leftMs })
  expect([after(429, 30_000), after(503, 45_000), after(429, 0)]).toEqual([30_000, 45_000, pauseMs])
  expect([after(429, 3_600_000), after(503, Number.POSITIVE_INFINITY)]).toEqual([leftMs, leftMs])
  expect(nextPollMs(undefined, { pauseMs, leftMs })).toBe(pauseMs)
})

test("logins that others could read are closed with a warning, and damaged ones are named", async () => {
  const home = await temporaryFolder()
  const file = join(home, "envkeep/logins.json")
  await mkdir(join(home, "envkeep"))
  await writeFile(file, '{"logins":[]}')
  await chmod(file, 0o644)
  const run = () => envkeep(["whoami"], { env: { XDG_CONFIG_HOME: home } }).ended
  expect((await run()).err).toContain(`envkeep: other users of this machine could read ${file}: it is closed now\n`)
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await run()).err).not.toContain("other users")
  await writeFile(file, '{"logins":[{"url":1}]}')
  expect(await run()).toMatchObject({
    code: 1,
    err: `envkeep: ${file} is damaged\nhint: delete it, and log in again\n`,
  })
})
