import { join } from "node:path"
import { expect, test } from "vitest"
import { envkeep } from "./command.ts"
import { loginWorld } from "./login-world.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

test("check shows what the key can read, without control characters", async () => {
  const made = await world()
  await made.db.updateTable("environment").set({ name: "prod\u001b[31m" }).execute()
  expect(await envkeep(["check"], { env: asEnv(made) }).ended).toEqual({
    code: 0,
    out: "app/prod\ufffd[31m, revision 2, by the key ci\n",
    err: "",
  })
})

test("each failure is one line with exit code 1, and never shows the key", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  proxy.mode = answer("404 Not Found", "")
  const cases: [Record<string, string>, string][] = [
    [{}, "no server given: set ENVKEEP_URL\nhint: or log in: envkeep login https://envkeep.example.com"],
    [{ ENVKEEP_URL: url }, `not logged in to ${url}\nhint: run envkeep login ${url}, or set ENVKEEP_KEY`],
    [{ ENVKEEP_URL: "x", ENVKEEP_KEY: key }, "ENVKEEP_URL must start with http:// or https://"],
    [asEnv({ url, key: `${key}x` }), "the API key is mistyped or incomplete: copy it again"],
    [asEnv({ url: proxy.url, key }), `the server at ${proxy.url} answered with status 404`],
    [
      asEnv({ url: "http://127.0.0.1:9", key }),
      "the server at http://127.0.0.1:9 cannot be reached: connection refused",
    ],
  ]
  for (const [env, line] of cases) {
    for (const args of [["print"], ["check"], ["run", "--", "echo", "started"]]) {
      expect(await envkeep(args, { env }).ended).toEqual({ code: 1, out: "", err: `envkeep: ${line}\n` })
    }
  }
})

test("a hint names a way in that works for this command", async () => {
  const { url, key } = await world()
  const withKey = `an API key is for run, print, save and check; run envkeep login ${url}, or set ENVKEEP_TOKEN`
  const unknown = "make another, or unset it to use a login"
  const cases: [Record<string, string>, string][] = [
    [asEnv({ url, key }), `not logged in to ${url}\nhint: ${withKey}`],
    [
      { ENVKEEP_URL: url, ENVKEEP_TOKEN: "ept_x" },
      `the token in ENVKEEP_TOKEN is not valid at ${url}\nhint: ${unknown}`,
    ],
    [{ ENVKEEP_URL: url, ENVKEEP_TOKEN: "“ept_x”" }, "ENVKEEP_TOKEN is not a personal token: copy it again"],
  ]
  for (const [env, line] of cases) {
    for (const args of [["list"], ["whoami"], ["get", "A", "-c", "app", "-e", "production"]]) {
      expect(await envkeep(args, { env }).ended).toEqual({ code: 1, out: "", err: `envkeep: ${line}\n` })
    }
  }
})

test("a redirect to a page of the same server is not called a new address", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  proxy.mode = answer("302 Found", "", { location: "/oauth2/start" })
  const err = `envkeep: the server at ${proxy.url} answered with status 302\n`
  const byLogin = { ENVKEEP_URL: proxy.url, ENVKEEP_TOKEN: "ept_x" }
  expect(await envkeep(["check"], { env: asEnv({ url: proxy.url, key }) }).ended).toEqual({ code: 1, out: "", err })
  expect(await envkeep(["whoami"], { env: byLogin }).ended).toEqual({ code: 1, out: "", err })
})

test("names that others gave cannot take over the terminal by a message or a hint", async () => {
  const made = await loginWorld([{ name: "A\u009b31m", value: "1" }])
  const other = await made.ann.environment("other", made.environment.collectionId)
  await made.db.updateTable("environment").set({ name: "other\u009b31m" }).where("id", "=", other.id).execute()
  expect((await made.run(["list", "-e", "nope"])).err).toContain('hint: there is "production", "other\ufffd31m"\n')
  for (const env of [{}, { ENVKEEP_KEY: made.key }]) {
    const { err } = await made.run(["print", "--format", "shell"], { env })
    expect(err).toBe('envkeep: the format shell cannot hold "A?31m" (its name is not a valid identifier)\n')
  }
})

test("a key in the wrong place is not repeated by a hint either", async () => {
  const { url, key } = await world()
  const { err } = await envkeep(["whoami"], { env: { ENVKEEP_URL: `${url}/${key}` } }).ended
  expect(err).toBe(
    `envkeep: not logged in to ${url}/ek_...\nhint: run envkeep login ${url}/ek_..., or set ENVKEEP_KEY\n`,
  )
})

test("the cache file comes from the environment, and using it is reported", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const file = join(await temporaryFolder(), "cache")
  const env = { ...asEnv({ url: proxy.url, key }), ENVKEEP_CACHE: file }
  const run = (more: Record<string, string> = {}) =>
    envkeep(["run", "--", "printenv", "A"], { env: { ...env, ...more } }).ended
  expect(await run()).toEqual({ code: 0, out: "1\n", err: "" })
  proxy.mode = "cut"
  const used = "envkeep: the server cannot be reached: using the last good values, revision 2, saved 0 minutes ago\n"
  expect(await run()).toEqual({ code: 0, out: "1\n", err: used })
  const away = `envkeep: the server at ${proxy.url} cannot be reached: the connection was closed\n`
  const tooOld = `envkeep: the cache ${file} is too old: it is ignored\n`
  expect(await run({ ENVKEEP_MAX_STALE: "0.001" })).toEqual({ code: 1, out: "", err: tooOld + away })
  const wrong = "envkeep: ENVKEEP_MAX_STALE must be a number of seconds, 0 or more\n"
  for (const ENVKEEP_MAX_STALE of ["soon", "-1", "NaN", "Infinity", "1e9"]) {
    expect(await run({ ENVKEEP_MAX_STALE })).toEqual({ code: 1, out: "", err: wrong })
  }
})

test("a damaged value is named on standard error, and the rest is printed", async () => {
  const made = await world([{ name: "GOOD", value: "1" }])
  const item = await made.ann.item(made.environment, "BAD", "x")
  await made.db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("id", "=", item.id)
    .execute()
  await made.ann.item(made.environment, "LATER", "2")
  const print = (...words: string[]) => envkeep(["print", ...words], { env: asEnv(made) }).ended
  const err = "envkeep: left out, damaged on the server: BAD\n"
  expect(await print()).toEqual({ code: 0, out: "GOOD=1\nLATER=2\n", err })
  expect(await print("--only", "GOOD")).toEqual({ code: 0, out: "GOOD=1\n", err: "" })
  expect(await print("--only", "GOOD,BAD")).toEqual({ code: 0, out: "GOOD=1\n", err })
})
