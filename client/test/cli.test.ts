import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { formats as all, readableFormatNames } from "@envkeep/formats"
import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { expect, test } from "vitest"
import { programs, quickConsumers } from "../../formats/consumers/index.ts"
import { formats } from "../src/index.ts"
import { cli, envkeep, start } from "./command.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

const keyGiven = "an API key is not an argument: set ENVKEEP_KEY"
const secretRule =
  "the name of a Secret has 1 to 253 small letters, digits, - and . and starts and ends with a letter or digit"
const namespaceRule =
  "the name of a namespace has 1 to 63 small letters, digits and - and starts and ends with a letter or digit"
const silent = { out: "", err: "" }

test("help fits a screen and names every command, format and setting", async () => {
  const { code, out, err } = await envkeep(["--help"]).ended
  const lines = out.trimEnd().split("\n")
  expect([code, err]).toEqual([0, ""])
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
  const options = ["--only", "--except", "--watch", "--override", "--revision", "--force", "--name", "--namespace"]
  const words = ["run", "print", "save", "check", ...options, "ENVKEEP_URL", "ENVKEEP_KEY", ...formats]
  for (const word of words) expect(out).toContain(word)
  expect((await envkeep(["run", "--help"]).ended).out).toBe(out)
})

test("run, print and save take an earlier revision, and one that does not exist is a failure", async () => {
  const made = await world([{ name: "A", value: "old" }])
  await made.bulk([{ name: "A", value: "new" }])
  const env = asEnv(made)
  const cwd = await temporaryFolder()
  expect(await envkeep(["print", "--revision", "2"], { env }).ended).toEqual({ code: 0, out: "A=old\n", err: "" })
  expect(await envkeep(["run", "--revision", "2", "printenv", "A"], { env }).ended).toMatchObject({ out: "old\n" })
  expect(await envkeep(["save", "--revision=2"], { env, cwd }).ended).toMatchObject({ code: 0 })
  expect(await readFile(join(cwd, ".env"), "utf8")).toContain("A=old\n")
  expect(await envkeep(["print", "--revision", "9"], { env }).ended).toEqual({
    code: 1,
    out: "",
    err: `envkeep: the server at ${made.url} says: Revision not found\n`,
  })
})

test("run, print, save and check of an heir have what it inherits, now and at an earlier revision", async () => {
  const made = await world([{ name: "OWN", value: "1" }])
  const { ann, environment } = made
  const base = await ann.environment("base", environment.collectionId)
  const shared = await ann.item(base, "SHARED", "old")
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  await ann.put(`/collectionItem/${shared.id}`, { name: "SHARED", value: "new" })
  const env = asEnv(made)
  const cwd = await temporaryFolder()
  const print = (...args: string[]) => envkeep(["print", ...args], { env }).ended
  expect(await print()).toEqual({ code: 0, out: "OWN=1\nSHARED=new\n", err: "" })
  expect(await print("--revision", "3")).toEqual({ code: 0, out: "OWN=1\nSHARED=old\n", err: "" })
  expect(await print("--only", "SHARED")).toMatchObject({ out: "SHARED=new\n" })
  expect(await envkeep(["run", "printenv", "SHARED"], { env }).ended).toMatchObject({ out: "new\n" })
  expect(await envkeep(["save", "--revision", "3"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await readFile(join(cwd, ".env"), "utf8")).toContain("OWN=1\nSHARED=old\n")
  const checked = { code: 0, out: "app/production, revision 4, by the key ci\n", err: "" }
  expect(await envkeep(["check"], { env }).ended).toEqual(checked)

  await ann.delete(`/subcollection/${base.id}?copyDown=true`)
  expect(await print()).toEqual({ code: 0, out: "OWN=1\nSHARED=new\n", err: "" })
  await ann.purge("environments", base)
  const pruned = "What this revision inherited is no longer kept, so the revision can no longer be read"
  expect(await print("--revision", "3")).toEqual({
    code: 1,
    out: "",
    err: `envkeep: the server at ${made.url} says: ${pruned}\n`,
  })
})

test.each(findNodes())("it runs on Node $version", async ({ path: node }) => {
  const made = await world([{ name: "A", value: "line\nline" }])
  const env = asEnv(made)
  const { version } = JSON.parse(await readFile(join(import.meta.dirname, "../package.json"), "utf8"))
  for (const flag of ["--version", "-v"]) {
    expect(await envkeep([flag], { node }).ended).toEqual({ code: 0, out: `${version}\n`, err: "" })
  }
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
  [["print", "--only"], "--only needs names: --only A,B"],
  [["print", "--except", " , "], "--except needs names: --except A,B"],
  [["print", "--revision"], "--revision needs a number: --revision 12"],
  [["print", "--revision", "1e3"], "--revision needs a number: --revision 12"],
  [["save", "--revision", "0"], "--revision needs a number: --revision 12"],
  [["run", "--revision=-1", "--", "true"], "--revision needs a number: --revision 12"],
  [["run", "--watch", "--revision", "3", "--", "true"], "--watch follows the current revision: leave --revision out"],
  [["run", "--only", "--", "true"], "--only needs names: --only A,B"],
  [["run", "--force", "--", "true"], 'there is no option "--force"'],
  [["print", "--force"], 'there is no option "--force"'],
  [["print", "--name", "app"], "--name is for --format k8s"],
  [["save", "--format", "yaml", "--namespace", "app"], "--namespace is for --format k8s"],
  ...["", "App", "a_b", "-a", "a-", "a..b", "a\nb", "a".repeat(254)].map((name): [string[], string] => [
    ["print", "--format", "k8s", "--name", name],
    secretRule,
  ]),
  ...["", "a.b", "a".repeat(64)].map((name): [string[], string] => [
    ["print", "--format", "k8s", "--namespace", name],
    namespaceRule,
  ]),
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
  expect(json).toEqual({ code: 0, out: `${String.raw`{"A":"it's","B C":"1\n2"}`}\n`, err: "" })
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

const mark = "# Written by envkeep save, which replaces the whole file.\n"

test("save is silent, writes .env by default, and only its owner can read the file", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await envkeep(["save", "app.env", "--format", "systemd"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect((await readdir(cwd)).sort()).toEqual([".env", "app.env"])
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\n`)
  expect(await readFile(join(cwd, "app.env"), "utf8")).toBe(`${mark}A="1"\n`)
  expect((await stat(join(cwd, ".env"))).mode & 0o777).toBe(0o600)
})

test.each(formats)(
  "a file that save wrote in the format %s is replaced, and every reader skips its mark",
  async (format) => {
    const made = await world([
      { name: "A", value: "it's 1" },
      { name: "B", value: "" },
    ])
    const env = asEnv(made)
    const cwd = await temporaryFolder()
    const save = () => envkeep(["save", "file", "--format", format], { env, cwd }).ended
    expect(await save()).toEqual({ code: 0, ...silent })
    await made.bulk([{ name: "C", value: "changed" }])
    expect(await save()).toEqual({ code: 0, ...silent })
    const saved = await readFile(join(cwd, "file"), "utf8")
    for (const { name, format: read, read: readBack } of [...quickConsumers, ...programs]) {
      if (read === format) expect([name, readBack(saved).get("C")]).toEqual([name, "changed"])
    }
    const variables = [{ name: "C", value: "changed" }]
    for (const name of readableFormatNames) {
      if (name === format) expect(all[name].parse(saved)).toEqual({ variables, faults: [] })
    }
  },
)

test("save leaves a file alone that it did not write, says so, and replaces it with --force", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  const file = join(cwd, ".env")
  for (const foreign of ["A=mine\n", "# mine\n", "\n", '{"A":"1"}']) {
    await writeFile(file, foreign)
    for (const format of ["dotenv", "json", "raw"]) {
      if (format === "json" && foreign === '{"A":"1"}') continue
      expect(await envkeep(["save", "--format", format], { env, cwd }).ended).toEqual({
        code: 1,
        out: "",
        err:
          "envkeep: .env exists, and envkeep did not write it\n" +
          "hint: add --force to replace it, or save to another file\n",
      })
    }
    expect(await readFile(file, "utf8")).toBe(foreign)
  }
  expect(await envkeep(["save", "--force"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await readFile(file, "utf8")).toBe(`${mark}A=1\n`)
})

test("save leaves a file of another program alone that ends in the same line as its own", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  for (const foreign of [
    "all:\n\tmake",
    "A=1\n\nB=2",
    "A = 1",
    "\tA=1",
    "=1",
    '["A"]',
    '{"A":1}',
    '{"A":"1"',
    '"A"',
    "7",
  ]) {
    await writeFile(join(cwd, ".env"), `${foreign}\n\t\n`)
    expect(await envkeep(["save"], { env, cwd }).ended).toMatchObject({ code: 1, out: "" })
    expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${foreign}\n\t\n`)
  }
})

test.each(["json", "raw"])(
  "save replaces what it wrote in the format %s, whatever the variables are",
  async (format) => {
    const made = await world([])
    const cwd = await temporaryFolder()
    const save = () => envkeep(["save", "--format", format], { env: asEnv(made), cwd }).ended
    const strange = ["1", "__proto__", "a b", "# x", '{"'].map((name) => ({ name, value: ' = "\t{\u2028\r.' }))
    // The first file is one without variables.
    expect(await save()).toEqual({ code: 0, ...silent })
    for (const variables of [strange, [{ name: "A", value: "" }]]) {
      await made.bulk(variables)
      expect(await save()).toEqual({ code: 0, ...silent })
    }
  },
)

test("save takes over an empty file, and one that already holds the same", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  for (const content of ["", "A=1\n"]) {
    await writeFile(join(cwd, ".env"), content)
    expect(await envkeep(["save"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
    expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\n`)
  }
})

test("what cannot be saved to is named as it was given, with the reason", async () => {
  const env = asEnv(await world())
  const cwd = await temporaryFolder()
  await mkdir(join(cwd, "folder"))
  await writeFile(join(cwd, "file"), "")
  await symlink("circle", join(cwd, "circle"))
  const inFolder = "hint: name a file in it\n"
  for (const [file, reason] of [
    ["folder", `it is a folder\n${inFolder}`],
    ["folder/", `it is a folder\n${inFolder}`],
    ["no/where", "no such file or folder\n"],
    ["file/below", "part of the path is not a folder\n"],
    ["circle", "its links lead in a circle\n"],
    ["/dev/null", "it is not a regular file\n"],
  ]) {
    for (const force of [[], ["--force"]]) {
      const err = `envkeep: cannot save to ${file}: ${reason}`
      expect(await envkeep(["save", String(file), ...force], { env, cwd }).ended).toEqual({ code: 1, out: "", err })
    }
  }
  expect((await readdir(cwd)).sort()).toEqual(["circle", "file", "folder"])
})

test("a Secret gets the name and the namespace that are given, even if YAML has other words for them", async () => {
  const env = asEnv(await world([]))
  const secret = async (...names: string[]) =>
    (await envkeep(["print", "--format", "k8s", ...names], { env }).ended).out
  const manifest = (names: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${names}\ntype: Opaque\ndata: {}\n`
  expect(await secret()).toBe(manifest("envkeep"))
  expect(await secret("--name", "my.app-1")).toBe(manifest('"my.app-1"'))
  expect(await secret("--name", "1e3", "--namespace", "null")).toBe(manifest('"1e3"\n  namespace: "null"'))
})

test("--only and --except take some of the variables, so that one does not block the others", async () => {
  const made = await world([
    { name: "A", value: "1" },
    { name: "CERT", value: "two\nlines" },
    { name: "B", value: "2" },
  ])
  const env = asEnv(made)
  const cwd = await temporaryFolder()
  const print = (...words: string[]) => envkeep(["print", "--format", "docker", ...words], { env }).ended
  expect(await print()).toMatchObject({ code: 1 })
  expect(await print("--except", "CERT")).toEqual({ code: 0, out: "A=1\nB=2\n", err: "" })
  expect(await print("--only=B, A")).toEqual({ code: 0, out: "A=1\nB=2\n", err: "" })
  expect(await print("--only", "A", "--only", "B,CERT", "--except", "CERT,A")).toMatchObject({ out: "B=2\n" })
  expect(await print("--only", "A,NO,CERTS")).toEqual({
    code: 1,
    out: "",
    err: 'envkeep: the environment has no variable "NO", "CERTS"\n',
  })
  expect(await print("--except", "CERT,CRET")).toEqual({
    code: 0,
    out: "A=1\nB=2\n",
    err: 'envkeep: nothing to leave out: the environment has no variable "CRET"\n',
  })
  expect(await envkeep(["save", "--except", "CERT"], { env, cwd }).ended).toEqual({ code: 0, ...silent })
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe(`${mark}A=1\nB=2\n`)
  const show = ["sh", "-c", `echo "\${A-none} \${B-none}"`]
  expect(await envkeep(["run", "--only", "B", ...show], { env }).ended).toEqual({ code: 0, out: "none 2\n", err: "" })
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
  const print = (...words: string[]) => envkeep(["print", ...words], { env: asEnv(made) }).ended
  const err = "envkeep: left out, damaged on the server: BAD\n"
  expect(await print()).toEqual({ code: 0, out: "GOOD=1\nLATER=2\n", err })
  expect(await print("--only", "GOOD")).toEqual({ code: 0, out: "GOOD=1\n", err: "" })
  expect(await print("--only", "GOOD,BAD")).toEqual({ code: 0, out: "GOOD=1\n", err })
})
