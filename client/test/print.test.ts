import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { expect, test } from "vitest"
import { cli, envkeep, start } from "./command.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

const silent = { out: "", err: "" }
const mark = "# Written by envkeep save, which replaces the whole file.\n"

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

test.skipIf(!existsSync("/dev/full"))("a print onto a full disk fails and says so", async () => {
  const env = asEnv(await world())
  const full = ["sh", "-c", '"$0" "$1" print > /dev/full', process.execPath, cli]
  const err = "envkeep: cannot write to standard output: the disk is full\n"
  expect(await start(full, { env, input: "" }).ended).toEqual({ code: 1, out: "", err })
})

test("a print onto a disk that becomes full in the middle fails and says so", async () => {
  const env = asEnv(await world([{ name: "LONG", value: "x".repeat(60_000) }]))
  const cwd = await temporaryFolder()
  // A limit on the size of files ends a write in the middle, as a full disk does.
  const limited = 'trap "" XFSZ; ulimit -f 8; exec "$0" "$1" print > file'
  const run = start(["bash", "--norc", "-c", limited, process.execPath, cli], { env, cwd, input: "" })
  const err = "envkeep: cannot write to standard output: the file would be too large\n"
  expect(await run.ended).toEqual({ code: 1, out: "", err })
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
