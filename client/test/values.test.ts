import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cli, envkeep, inTerminal } from "./command.ts"
import { loginWorld } from "./login-world.ts"

const variables = [
  { name: "A", value: "a secret value" },
  { name: "B", value: "two\nlines" },
]
const noTerminal = "envkeep: there is no terminal to ask in, so nothing was changed\nhint: add --yes to do it\n"

test("list and get show names, values only if they are asked for, and never control characters", async () => {
  const { run, db, environment } = await loginWorld(variables)
  await db.updateTable("environment").set({ name: "prod\u001b[31m" }).execute()
  const env = { ENVKEEP_ENVIRONMENT: String(environment.id) }
  expect(await run(["list"], { env })).toEqual({
    code: 0,
    out: "NAME  VALUE\nA     ********\nB     ********\n",
    err: "",
  })
  expect((await run(["list", "--show"], { env })).out).toBe('NAME  VALUE\nA     a secret value\nB     "two\\nlines"\n')
  expect(JSON.parse((await run(["list", "--json"], { env })).out)).toEqual([
    { name: "A", isInherited: false },
    { name: "B", isInherited: false },
  ])
  const listed = await run(["list", "environments"])
  expect(listed.out).toMatch(/^ID +ENVIRONMENT +REVISION +VARIABLES +PROTECTED\n\d+ +prod\ufffd\[31m +2 +2\n$/)
  expect((await run(["list", "environments", "--json"])).out).not.toContain("\u001b")
  expect((await run(["list", "collections"])).out).toMatch(/^ID +COLLECTION +ROLE +ENVIRONMENTS\n\d+ +app +owner +1\n$/)
  expect((await run(["list", "app"])).out).toBe(listed.out)
  expect((await run(["list", "app", String(environment.id)])).out).toMatch(/^NAME +VALUE\nA /)
  expect((await run(["list"], { env: { ENVKEEP_COLLECTION: "" } })).out).toMatch(/^ID +COLLECTION/)
  expect(await run(["list", "collections", "app"])).toMatchObject({
    code: 1,
    err: 'envkeep: list collections takes no "app"\n',
  })
  expect(await run(["get", "B"], { env })).toEqual({ code: 0, out: "two\nlines", err: "" })
  expect(await run(["get", "NO"], { env })).toMatchObject({
    code: 1,
    err: 'envkeep: the environment has no variable "NO"\n',
  })
  expect(await run(["list", "-e", "none"])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no environment "none"\nhint: '),
  })
  expect(await run(["list", "-c", "none"])).toMatchObject({
    code: 1,
    err: expect.stringContaining('no collection "none"\n'),
  })
})

test("set shows what it changes, asks, and takes a secret value from standard input", async () => {
  const { run, ann, environment } = await loginWorld(variables)
  const refused = await run(["set", "A=new", "C=3"])
  expect(refused).toEqual({ code: 1, out: "", err: `~ A=******** -> ********\n+ C=********\n${noTerminal}` })
  expect(await run(["set", "A=new", "C=3", "--yes", "-m", "why"])).toEqual({
    code: 0,
    out: "",
    err: "~ A=******** -> ********\n+ C=********\nenvkeep: saved 2 changes to app/production, now at revision 3\n",
  })
  const [revision] = (
    await ann.get<{ revisions: { note: string; changed: number }[] }>(`/environments/${environment.id}/history`)
  ).body.data.revisions
  expect(revision).toMatchObject({ note: "why", added: 1, changed: 1 })
  expect(await run(["set", "A=new", "--yes"])).toEqual({
    code: 0,
    out: "",
    err: "envkeep: app/production holds this already: nothing to change\n",
  })
  expect(await run(["set", "PEM"], { input: "x" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("add --yes"),
  })
  expect((await run(["set", "PEM", "--yes"], { input: "line\nline\n" })).code).toBe(0)
  expect((await run(["get", "PEM"])).out).toBe("line\nline")
  expect((await run(["set", "BAD\nNAME=1", "--yes"])).err).toContain("Name cannot contain")
})

test("unset deletes one or several in one revision, and refuses what is not there", async () => {
  const { run } = await loginWorld([...variables, { name: "C", value: "3" }, { name: "D", value: "4" }])
  expect((await run(["unset", "A", "--yes"])).err).toBe(
    "- A=********\nenvkeep: saved 1 change to app/production, now at revision 3\n",
  )
  expect((await run(["unset", "B", "C", "--yes"])).err).toContain(
    "saved 2 changes to app/production, now at revision 4\n",
  )
  expect(await run(["unset", "B", "--yes"])).toMatchObject({
    code: 1,
    err: 'envkeep: the environment does not set "B" itself\n',
  })
  expect((await run(["list"])).out).toBe("NAME  VALUE\nD     ********\n")
  await run(["set", "E=5", "--yes"])
  expect((await run(["unset", "D", "E", "--yes"])).err).toContain(
    "saved 2 changes to app/production, now at revision 7\n",
  )
  expect((await run(["list"])).out).toBe("NAME  VALUE\n")
})

test("history lists revisions, and rollback restores one after a question", async () => {
  const { run, ann } = await loginWorld(variables)
  await run(["set", "A=new", "--yes", "--note", "a new key"])
  const { username } = (await ann.get<{ username: string }>("/users/me")).body.data
  const [head, first, second, third] = (await run(["history"])).out.split("\n")
  expect(head).toMatch(/^REVISION +WHEN \(UTC\) +BY +CHANGES +WHAT$/)
  expect(first).toMatch(new RegExp(`^3 +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d +${username} +\\+0 ~1 -0 +a new key$`))
  expect(second).toMatch(/ A, B$/)
  expect(third).toMatch(/ created$/)
  expect(JSON.parse((await run(["history", "--json", "--before", "3"])).out)).toMatchObject([
    { number: 2 },
    { number: 1 },
  ])
  expect(await run(["rollback", "2"])).toMatchObject({ code: 1, err: `~ A=******** -> ********\n${noTerminal}` })
  expect((await run(["rollback", "2", "--yes"])).err).toBe(
    "~ A=******** -> ********\nenvkeep: rolled app/production back to revision 2, now at revision 4\n",
  )
  expect((await run(["rollback", "2", "--yes"])).err).toContain("nothing to change")
  expect(await run(["rollback", "99", "--yes"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("Revision not found"),
  })
})

test("a token of the scope names lists, and is told why it gets no values", async () => {
  const { run } = await loginWorld(variables, "names")
  expect((await run(["list", "--show"])).out).toBe("NAME  VALUE\nA     (hidden)\nB     (hidden)\n")
  const hidden = "envkeep: this login sees the names of this environment, but not its values\n"
  for (const args of [["get", "A"], ["print"], ["pull"], ["run", "true"], ["edit"]]) {
    expect(await run(args)).toMatchObject({ code: 1, out: "", err: expect.stringContaining(hidden) })
  }
  expect((await run(["set", "A=1", "--yes"])).err).toContain("This token may not do this. It needs the scope write")
})

test("run, print, save and check work by login, and a key wins over it", async () => {
  const { run, key, url, cwd, ann, environment } = await loginWorld(variables)
  const staging = await ann.environment("staging", environment.collectionId)
  await ann.item(staging, "A", "of staging")
  expect((await run(["run", "-e", "staging", "printenv", "A"])).out).toBe("of staging\n")
  expect((await run(["print", "--only", "A", "--revision", "2"])).out).toBe("A='a secret value'\n")
  expect(await run(["save", "-e", "staging"])).toEqual({ code: 0, out: "", err: "" })
  expect(await readFile(join(cwd, ".env"), "utf8")).toContain("A='of staging'\n")
  expect((await run(["check"])).out).toBe(`app/production, revision 2, by the login at ${url}\n`)
  const env = { ENVKEEP_KEY: key }
  expect((await run(["check"], { env })).out).toBe("app/production, revision 2, by the key ci\n")
  expect(await run(["print", "-e", "staging"], { env })).toMatchObject({
    code: 2,
    err: expect.stringContaining("ENVKEEP_KEY is for one environment"),
  })
})

test("run --watch by login restarts the command after a change", async () => {
  const { env, cwd, bulk } = await loginWorld([{ name: "A", value: "old value" }])
  const { child, ended, line } = envkeep(["run", "--watch", "sh", "-c", 'echo "$A"; exec sleep 600'], { env, cwd })
  expect(await line()).toBe("old value")
  await bulk([{ name: "A", value: "new value" }])
  expect(await line()).toBe("new value")
  child.kill("SIGTERM")
  expect(await ended).toMatchObject({ code: 143, err: "envkeep: the variables have changed: restarting the command\n" })
})

test("in a terminal it asks, shows colours unless NO_COLOR is set, and hides what is typed", async () => {
  const { env, cwd } = await loginWorld(variables)
  const words = (...args: string[]) => [process.execPath, cli, ...args]
  const set = inTerminal(words("set", "TYPED"), { env, cwd })
  let shown = ""
  set.child.stdout.on("data", (piece) => {
    const before = shown
    shown += piece
    const asks = (text: string) => shown.includes(text) && !before.includes(text)
    if (asks("Value of TYPED: ")) set.child.stdin.write("hidden text\r")
    if (asks("[y/N]")) set.child.stdin.write("y\r")
  })
  expect(await set.ended).toMatchObject({ code: 0, out: expect.stringContaining("saved 1 change") })
  expect(shown).not.toContain("hidden text")
  expect(shown).toContain("\u001b[32m+ TYPED=********\u001b[0m")

  const refused = inTerminal(words("unset", "A"), { env: { ...env, NO_COLOR: "1" }, cwd })
  refused.child.stdout.on("data", (piece) => {
    if (String(piece).includes("[y/N]")) refused.child.stdin.write("n\r")
  })
  const { code, out } = await refused.ended
  expect(code).toBe(1)
  expect(out).toContain("- A=********\r\n")
  expect(out).toContain("nothing was changed")
  expect(out).not.toContain("\u001b[31m")
})
