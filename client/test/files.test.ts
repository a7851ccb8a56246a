import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cli, start } from "./command.ts"
import { loginWorld } from "./login-world.ts"
import { answer, faultyProxy } from "./proxy.ts"
import { strangeServer } from "./strange-server.ts"

const variables = [
  { name: "A", value: "first value" },
  { name: "B", value: "second value" },
]

test("pull writes a file for its owner, push saves it back as one revision, and says what changes", async () => {
  const { run, cwd } = await loginWorld(variables)
  const file = join(cwd, ".env")
  expect(await run(["pull"])).toEqual({
    code: 0,
    out: "",
    err: "envkeep: wrote 2 variables of app/production, revision 2, to .env\n",
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await run(["push", "--yes"])).toMatchObject({ code: 0, err: expect.stringContaining("nothing to change") })

  await writeFile(file, "A=changed\nC=added\n")
  expect(await run(["push"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("~ A=******** -> ********\n+ C=********\nenvkeep: there is no terminal"),
  })
  expect(await run(["push", "--yes"])).toMatchObject({
    code: 0,
    err: expect.stringContaining("saved 2 changes to app/production, now at revision 3\n"),
  })
  expect((await run(["push", "--replace", "--yes", "--expect-revision", "2"])).err).toBe(
    "envkeep: the environment is at revision 3, not 2: nothing was changed\nhint: envkeep history shows who changed it\n",
  )
  expect((await run(["push", "--replace", "--yes", "--expect-revision", "3"])).err).toBe(
    "- B=********\nenvkeep: saved 1 change to app/production, now at revision 4\n",
  )
  await writeFile(file, "MINE=1\n")
  expect(await run(["pull"])).toMatchObject({ code: 1, err: expect.stringContaining("envkeep did not write it") })
  expect((await run(["pull", "--force"])).code).toBe(0)

  await writeFile(file, 'A="open\n')
  expect(await run(["push", "--yes"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^envkeep: \.env, line 1: /),
  })
  await writeFile(file, "# nothing\n")
  expect((await run(["push", "--yes"])).err).toBe("envkeep: there is no variable in .env\n")
  expect((await run(["push", "none.env", "--yes"])).err).toBe("envkeep: cannot read none.env: no such file or folder\n")
})

test("push into an heir does not write what it inherits already", async () => {
  const { run, cwd, ann, environment } = await loginWorld(variables)
  const base = await ann.environment("base", environment.collectionId)
  await ann.item(base, "SHARED", "inherited value")
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  expect((await run(["pull"])).err).toContain("wrote 3 variables")
  expect((await run(["push", "--replace", "--yes"])).err).toContain("nothing to change")
  await writeFile(join(cwd, ".env"), "SHARED=own\n")
  expect((await run(["push", "--yes"])).err).toContain("+ SHARED=********\n")
})

test("push names the variable that the server refuses, and saves nothing", async () => {
  const { run, cwd, url } = await loginWorld(variables)
  const push = async (text: string, ...options: string[]) => {
    await writeFile(join(cwd, ".env"), text)
    return (await run(["push", "--yes", ...options])).err.split("\n").slice(-2)
  }
  const unprintable = "Value contains a NUL or half of a surrogate pair, which no text can hold"
  // The first is sent only if it is needed.
  const text = "A=first value\nC=new\nNUL=a\0b\nD=new\n"
  expect(await push(text)).toEqual([`envkeep: the server at ${url} says: "NUL": ${unprintable}`, ""])
  expect(await push(text, "--replace")).toEqual([`envkeep: the server at ${url} says: "NUL": ${unprintable}`, ""])
  expect(await push(`C=new\nLONG=${"x".repeat(600_000)}\nD=new\n`)).toEqual([
    `envkeep: the server at ${url} says: "LONG" can be at most 512 KiB`,
    "",
  ])
  expect((await run(["print", "--format", "raw"])).out).toBe("A=first value\nB=second value\n")
})

test("when the network is cut while push saves, it says that the outcome is unknown, and a rerun is safe", async () => {
  const made = await loginWorld(variables)
  const proxy = await faultyProxy(made.url)
  await writeFile(join(made.cwd, ".env"), "A=changed\n")
  const env = { ENVKEEP_URL: proxy.url }
  // Two reads pass, then the answer to the save is lost.
  proxy.next = ["pass", "pass", answer("", "")]
  const { code, err } = await made.run(["push", "--yes"], { env })
  expect(code).toBe(1)
  expect(err).toMatch(/cannot be reached: .*, so it is unknown whether the change was saved\nhint: run it again/)
  expect((await made.run(["push", "--yes"], { env })).err).toContain("now at revision 3\n")
  expect((await made.run(["push", "--yes"], { env })).err).toContain("nothing to change")
  proxy.mode = "cut"
  expect((await made.run(["push", "--yes"], { env })).err).not.toContain("unknown")
})

test("a conflict says who changed what and when, and nothing is saved", async () => {
  const made = await loginWorld(variables)
  const conflicts = [
    { id: 1, name: "A\u001b[2J", revision: 7, by: "bob", at: "2026-11-01T12:00:00.000Z", isDeleted: false },
    { id: null, name: "B", revision: 8, by: null, at: null, isDeleted: true },
  ]
  const url = await strangeServer(async (request, response) => {
    if (request.method !== "GET") {
      response.writeHead(409).end(JSON.stringify({ error: true, msg: "Some have changed", data: { conflicts } }))
      return
    }
    const real = await fetch(made.url + request.url, {
      headers: { authorization: request.headers.authorization ?? "" },
    })
    response.writeHead(real.status).end(await real.text())
  })
  expect(await made.run(["set", "A=mine", "--yes"], { env: { ENVKEEP_URL: url } })).toEqual({
    code: 1,
    out: "",
    err:
      `~ A=******** -> ********\nenvkeep: the server at ${url} says: Some have changed\n` +
      "  A?[2J: changed by bob, 2026-11-01T12:00:00.000Z (revision 7)\n  B: deleted (revision 8)\n",
  })
})

test("diff compares files, environments and revisions, with exit codes for scripts", async () => {
  const { run, cwd, ann, environment } = await loginWorld(variables)
  const staging = await ann.environment("staging", environment.collectionId)
  await ann.item(staging, "A", "first value")
  expect(await run(["diff", "staging", "production"])).toEqual({ code: 1, out: "+ B=********\n", err: "" })
  expect((await run(["diff", "staging", "production", "--show"])).out).toBe("+ B=second value\n")
  expect(await run(["diff", "staging", "staging"])).toEqual({ code: 0, out: "", err: "" })
  await writeFile(join(cwd, ".env"), "A=mine\nB=second value\n")
  expect(await run(["diff"])).toEqual({ code: 1, out: "~ A=******** -> ********\n", err: "" })
  await run(["set", "A=newer value", "--yes"])
  expect((await run(["diff", "--from", "2", "--to", "3"])).out).toBe("~ A=******** -> ********\n")
  expect((await run(["diff", "rev:2"])).code).toBe(1)
  expect(JSON.parse((await run(["diff", "rev:2", "--json"])).out)).toEqual([{ name: "A", kind: "changed" }])
  expect(JSON.parse((await run(["diff", "rev:2", "--json", "--show"])).out)).toEqual([
    { name: "A", kind: "changed", before: "first value", after: "newer value" },
  ])
  await writeFile(join(cwd, ".env"), "A=newer value\nC=3\n")
  const what = "- B=********\n+ C=********\n"
  expect(await run(["diff"])).toEqual({ code: 1, out: what, err: "" })
  expect((await run(["diff", ".env"])).out).toBe(what)
  expect((await run(["push", "--replace", "--yes"])).err).toMatch(new RegExp(`^${what.replaceAll(/[*+]/g, "\\$&")}`))
  expect(await run(["diff", ".env"])).toMatchObject({ code: 0, out: "" })
  expect(await run(["diff", "no-such"])).toMatchObject({ code: 2, out: "" })
  expect(await run(["diff", "./no-such"])).toMatchObject({ code: 2, out: "" })
})

test("when a disk is full, init and types leave the old file, and name it", async () => {
  const { run, cwd, env } = await loginWorld()
  // A limit on the size of files ends a write, as a full disk does.
  const commands = {
    ".envkeep.json": ["init", "-c", "app", "-e", "production", "--yes"],
    "env.d.ts": ["types", "env.d.ts"],
  }
  for (const [name, args] of Object.entries(commands)) {
    const file = join(cwd, name)
    expect(await run(args)).toMatchObject({ code: 0 })
    const before = await readFile(file, "utf8")

    const limited = [
      "bash",
      "--norc",
      "-c",
      'trap "" XFSZ; ulimit -f 0; exec "$0" "$@"',
      process.execPath,
      cli,
      ...args,
    ]
    expect(await start(limited, { cwd, env, input: "" }).ended).toEqual({
      code: 1,
      out: "",
      err: `envkeep: cannot write ${name}: the file would be too large\n`,
    })
    expect(await readFile(file, "utf8")).toBe(before)
  }
  expect((await readdir(cwd)).toSorted()).toEqual([".envkeep.json", "env.d.ts"])
})

test("when a disk is full, pull leaves the old file and nothing half-written", async () => {
  const { run, cwd, env } = await loginWorld(variables)
  expect((await run(["pull"])).code).toBe(0)
  const before = await readFile(join(cwd, ".env"), "utf8")
  await run(["set", `LONG=${"x".repeat(20_000)}`, "--yes"])
  // A limit on the size of files ends a write in the middle, as a full disk does.
  const limited = ["bash", "--norc", "-c", 'trap "" XFSZ; ulimit -f 8; exec "$0" "$1" pull', process.execPath, cli]
  expect(await start(limited, { env, cwd, input: "" }).ended).toEqual({
    code: 1,
    out: "",
    err: "envkeep: cannot save to .env: the file would be too large\n",
  })
  expect(await readFile(join(cwd, ".env"), "utf8")).toBe(before)
  expect(await readdir(cwd)).toEqual([".env"])
})
