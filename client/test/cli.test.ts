import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { expect, test } from "vitest"
import { formats } from "../src/index.ts"
import { cli, envkeep, start } from "./command.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

const keyGiven = "an API key is not an argument: set ENVKEEP_KEY"
const silent = { out: "", err: "" }

test("help fits a screen and names every command, format and setting", async () => {
  const { code, out, err } = await envkeep(["--help"]).ended
  const lines = out.trimEnd().split("\n")
  expect([code, err]).toEqual([0, ""])
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  const words = ["run", "print", "save", "check", "--watch", "--override", "ENVKEEP_URL", "ENVKEEP_KEY", ...formats]
  for (const word of words) expect(out).toContain(word)
  expect((await envkeep(["run", "--help"]).ended).out).toBe(out)
})

test.each(findNodes())("it runs on Node $version", async ({ path: node }) => {
  const made = await world([{ name: "A", value: "line\nline" }])
  const env = asEnv(made)
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"))
  expect(await envkeep(["--version"], { node }).ended).toEqual({ code: 0, out: `${version}\n`, err: "" })
  expect(await envkeep(["print"], { node, env }).ended).toEqual({ code: 0, out: "A='line\nline'\n", err: "" })
  expect(await envkeep(["run", "--", "printenv", "A"], { node, env }).ended).toMatchObject({ out: "line\nline\n" })
  expect(await envkeep(["run", "--wat", "--", "true"], { node, env }).ended).toMatchObject({ code: 2, out: "" })
})

test.each([
  [[], "no command given"],
  [["nonsense"], 'there is no command "nonsense"'],
  [["run"], "run needs a command: envkeep run -- command"],
  [["run", "--"], "run needs a command: envkeep run -- command"],
  [["run", "--wat", "--", "true"], 'there is no option "--wat"'],
  [["run", "--watch=yes", "--", "true"], "--watch does not take a value"],
  [["run", "-", "true"], 'there is no option "-"'],
  [["print", "--format", "xml"], `the formats are ${formats.join(", ")}`],
  [["print", "--format"], `the formats are ${formats.join(", ")}`],
  [["print", "--format", "--x"], `the formats are ${formats.join(", ")}`],
  [["print", "--constructor"], 'there is no option "--constructor"'],
  [["print", "x"], 'print takes no "x"'],
  [["save", "a", "b"], "save takes one file"],
  [["save", "-"], 'there is no option "-"'],
  [["check", "x"], 'check takes no "x"'],
  [["check", "--wat"], 'there is no option "--wat"'],
  [["run", "--", ""], "run needs a command: envkeep run -- command"],
  [["ek_secret"], keyGiven],
  [["run", "ek_secret"], keyGiven],
  [["run", "--", "ek_secret", "node"], keyGiven],
  [["run", "ENVKEEP_KEY=ek_secret", "node"], keyGiven],
  [["run", "--ek_secret", "node"], keyGiven],
  [["print", "--key=ek_secret"], keyGiven],
  [["print", "--format", "ek_secret"], keyGiven],
  [["save", "ek_secret"], keyGiven],
  [["check", "ek_secret"], keyGiven],
  [["check", "--", "--key=ek_secret"], keyGiven],
  [["check", "'ek_secret'"], "check takes no \"'ek_...'\""],
])("the misuse %j gets one line and a hint, with exit code 2", async (args, line) => {
  const err = `envkeep: ${line}\nhint: run envkeep --help for the commands and options\n`
  expect(await envkeep(args).ended).toEqual({ code: 2, out: "", err })
})

test("print gives every format, and refuses with names and reasons", async () => {
  const made = await world([
    { name: "A", value: "it's" },
    { name: "B C", value: "1\n2" },
  ])
  const env = asEnv(made)
  const json = await envkeep(["print", "--format=json"], { env }).ended
  expect(json).toEqual({ code: 0, out: String.raw`{"A":"it's","B C":"1\n2"}`, err: "" })
  const yaml = await envkeep(["print", "--format", "yaml"], { env }).ended
  expect(yaml.out).toBe('"A": "it\'s"\n"B C": "1\\n2"\n')
  expect(await envkeep(["print", "--format", "shell"], { env }).ended).toEqual({
    code: 1,
    out: "",
    err: 'envkeep: the format shell cannot hold "B C" (its name is not a valid identifier)\n',
  })
  expect(await envkeep(["print", "--format", "docker"], { env }).ended).toMatchObject({
    code: 1,
    err: 'envkeep: the format docker cannot hold "B C" (its name has a space)\n',
  })
})

test("a long print goes through a pipe completely, and a reader may close it early", async () => {
  const value = "x".repeat(60_000)
  const made = await world(Array.from({ length: 40 }, (_, at) => ({ name: `N${at + 10}`, value })))
  const env = asEnv(made)
  const { out } = await envkeep(["print"], { env }).ended
  expect(out.length).toBe(40 * `N10=${value}\n`.length)
  const piped = ["sh", "-c", `"$0" "$1" print | head -c 7`, process.execPath, cli]
  expect(await start(piped, { env }).ended).toEqual({ code: 0, out: "N10=xxx", err: "" })
})

test("save is silent, writes .env by default, and only its owner can read the file", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await envkeep(["save", "app.env", "--format", "systemd"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect((await readdir(cwd)).sort()).toEqual([".env", "app.env"])
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe("A=1\n")
  expect(await readFile(join(cwd, "app.env"), "utf8")).toBe('A="1"\n')
  expect((await stat(join(cwd, ".env"))).mode & 0o777).toBe(0o600)
  const { code, err } = await envkeep(["save", "no/where"], { env, cwd }).ended
  expect([code, err]).toEqual([1, expect.stringMatching(/^envkeep: cannot open .*: no such file or folder\n$/)])
})

test("check shows what the key can read, without control characters", async () => {
  const made = await world()
  await made.ann.put(`/subcollection/${made.environment.id}`, { name: "prod\u001b[31m" })
  expect(await envkeep(["check"], { env: asEnv(made) }).ended).toEqual({
    code: 0,
    out: "app/prod?[31m, revision 3, by the key ci\n",
    err: "",
  })
})

test("each failure is one line with exit code 1, and never shows the key", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  proxy.mode = answer("404 Not Found", "")
  const cases: [Record<string, string>, string][] = [
    [{}, "no server given: set ENVKEEP_URL"],
    [{ ENVKEEP_URL: url }, "no API key given: set ENVKEEP_KEY"],
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

test("the cache file comes from the environment, and using it is reported", async () => {
  const { url, key } = await world()
  const proxy = await faultyProxy(url)
  const file = join(await temporaryFolder(), "cache")
  const env = { ...asEnv({ url: proxy.url, key }), ENVKEEP_CACHE: file }
  const run = (more: Record<string, string> = {}) =>
    envkeep(["run", "--", "printenv", "A"], { env: { ...env, ...more } }).ended
  expect(await run()).toEqual({ code: 0, out: "1\n", err: "" })
  proxy.mode = "cut"
  const used = "envkeep: the server cannot be reached: using the last good values\n"
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
  expect(await envkeep(["print"], { env: asEnv(made) }).ended).toEqual({
    code: 0,
    out: "GOOD=1\nLATER=2\n",
    err: "envkeep: left out, damaged on the server: BAD\n",
  })
})
