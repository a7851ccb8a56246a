import { mkdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import { cli, start } from "./command.ts"
import { loginWorld } from "./login-world.ts"

const root = join(import.meta.dirname, "../..")

async function describedWorld(scope?: string) {
  const made = await loginWorld(
    [
      { name: "PORT", value: "not a port" },
      { name: "MODE", value: "slow" },
      { name: "UNUSED", value: "x y z" },
    ],
    scope,
  )
  await made.ann.post(`/collections/${made.environment.collectionId}/names`, [
    { name: "PORT", kind: "port", description: "Where it\nlistens */" },
    { name: "MODE", kind: "choice", choices: ["fast", "slow"], isRequired: true },
    { name: "DATABASE_URL", kind: "url", isRequired: true, description: "The database" },
  ])
  return made
}

test("init writes which environment a folder uses, and folders below it use it too", async () => {
  const { run, cwd, url, environment, ann } = await loginWorld()
  const none = { ENVKEEP_COLLECTION: "", ENVKEEP_ENVIRONMENT: "" }
  expect(await run(["history"], { env: none })).toMatchObject({
    code: 2,
    err: expect.stringContaining("no collection given"),
  })
  expect(await run(["init"], { env: none })).toMatchObject({ code: 2 })
  expect(await run(["init", "-c", "app", "-e", "production"], { env: none })).toEqual({
    code: 0,
    out: "",
    err: `envkeep: wrote .envkeep.json: app/production of ${url}\n`,
  })
  expect(JSON.parse(await readFile(join(cwd, ".envkeep.json"), "utf8"))).toEqual({
    server: url,
    collection: { id: environment.collectionId, name: "app" },
    environment: { id: environment.id, name: "production" },
  })
  await mkdir(join(cwd, "a/b"), { recursive: true })
  // The token goes to the server of the file because ENVKEEP_URL says the same one.
  const below = { cwd: join(cwd, "a/b"), env: none }
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  expect((await run(["get", "A"], below)).out).toBe("1")
  expect((await run(["open"], below)).out).toBe(`${url}/collection/${environment.collectionId}?env=${environment.id}\n`)
  await writeFile(join(cwd, ".envkeep.json"), "{}")
  expect(await run(["get", "A"], below)).toMatchObject({
    code: 1,
    err: expect.stringContaining("is not as envkeep init writes it"),
  })
})

test("check --strict finds what is missing and what does not fit, also without values", async () => {
  const { run } = await describedWorld()
  const out = "DATABASE_URL is required, and missing\nPORT is not of the kind port\n"
  expect(await run(["check", "--strict"])).toEqual({ code: 1, out, err: "" })
  expect(JSON.parse((await run(["check", "--strict", "--json"])).out)).toEqual([
    { name: "DATABASE_URL", fault: "missing" },
    { name: "PORT", fault: "kind" },
  ])
  await run(["set", "PORT=80", "DATABASE_URL=postgres://db/app", "MODE=wrong", "--yes"])
  expect((await run(["check", "--strict"])).out).toBe("MODE is not one of fast, slow\n")
  await run(["set", "MODE=fast", "--yes"])
  expect(await run(["check", "--strict"])).toEqual({ code: 0, out: "", err: "" })
})

test("types are what the compiler takes, with comments and without values", async () => {
  const { run, cwd } = await describedWorld("names")
  expect((await run(["types", "env.d.ts"])).err).toBe("envkeep: wrote env.d.ts\n")
  const text = await readFile(join(cwd, "env.d.ts"), "utf8")
  await writeFile(join(cwd, "other.ts"), "")
  expect((await stat(join(cwd, "env.d.ts"))).mode).toBe((await stat(join(cwd, "other.ts"))).mode)
  expect((await run(["types"])).out).toBe(text)
  expect(text).not.toContain("x y z")
  expect(text).toContain("    /** The database */\n    DATABASE_URL: string\n")
  const process = "declare const process: { env: NodeJS.ProcessEnv }\n"
  const compile = async (code: string) => {
    await writeFile(join(cwd, "use.ts"), process + code)
    const options = ["--noEmit", "--strict", "--types", "", "--ignoreConfig", "env.d.ts", "use.ts"]
    return start([join(root, "node_modules/.bin/tsc"), ...options], { cwd, input: "" }).ended
  }
  const right =
    'const url: string = process.env.DATABASE_URL; const mode: "fast" | "slow" = process.env.MODE; url + mode'
  expect(await compile(right)).toEqual({ code: 0, out: "", err: "" })
  expect((await compile("const port: string = process.env.PORT")).out).toContain("TS2322")

  expect((await run(["types", "env.d.ts"])).code).toBe(0)
  await writeFile(join(cwd, "own.ts"), "export const mine = 1\n")
  expect(await run(["types", "own.ts"])).toEqual({
    code: 1,
    out: "",
    err: "envkeep: own.ts exists, and envkeep did not write it\nhint: add --force to replace it, or save to another file\n",
  })
  expect(await readFile(join(cwd, "own.ts"), "utf8")).toBe("export const mine = 1\n")
  expect((await run(["types", "own.ts", "--force"])).code).toBe(0)
  expect(await readFile(join(cwd, "own.ts"), "utf8")).toBe(text)
})

const sources: Record<string, string> = {
  "src/a.ts": `const { ONE, TWO: two = "x" } = process.env\nimport.meta.env.THREE; process.env["FOUR"]; process.env.NODE_ENV`,
  "b.py": 'import os\nos.environ["FIVE"]\nos.environ.get("SIX")\nos.getenv("SEVEN")',
  "c.php": "getenv('EIGHT'); $_ENV['NINE'];",
  "d.rb": 'ENV["TEN"]\nENV.fetch("ELEVEN")',
  "e.go": 'os.Getenv("TWELVE"); os.LookupEnv("THIRTEEN")',
  "F.java": 'System.getenv("FOURTEEN")',
  "g.rs": 'std::env::var("FIFTEEN")',
  "H.cs": 'Environment.GetEnvironmentVariable("SIXTEEN")',
  "i.c": 'getenv("SEVENTEEN")',
  "compose.yaml": ["image: x:$", "{EIGHTEEN:-1}\ncommand: $NINETEEN $$NOT"].join(""),
  Dockerfile: ["ARG OWN\nRUN echo $OWN $", "{TWENTY}"].join(""),
  "j.ts": 'Deno.env.get("TWENTYONE"); Bun.env.TWENTYTWO',
  "k.sh": "echo $NOT",
  "ignored/l.ts": "process.env.NOT",
  "node_modules/m/m.js": "process.env.NOT",
  ".gitignore": "ignored\n",
}
const read =
  "ONE TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN ELEVEN TWELVE THIRTEEN FOURTEEN FIFTEEN SIXTEEN SEVENTEEN EIGHTEEN NINETEEN TWENTY TWENTYONE TWENTYTWO"

test("scan finds what programs read in every language, and compares it with the environment", async () => {
  const { run, cwd } = await describedWorld("names")
  for (const [file, text] of Object.entries(sources)) {
    await mkdir(dirname(join(cwd, file)), { recursive: true })
    await writeFile(join(cwd, file), text)
  }
  await start(["git", "init", "-q"], { cwd, input: "" }).ended
  const { code, out } = await run(["scan", "--json"])
  const found = JSON.parse(out)
  expect(code).toBe(1)
  expect(found.missing.map(({ name }: { name: string }) => name).toSorted()).toEqual(read.split(" ").toSorted())
  expect(found.missing.find(({ name }: { name: string }) => name === "SIX").uses).toEqual([{ file: "b.py", line: 3 }])
  expect(found).toMatchObject({ unread: ["PORT", "MODE", "UNUSED"], undescribed: ["MODE", "UNUSED"] })
  const text = (await run(["scan", "src"])).out
  expect(text).toContain("Missing in the environment:\n  ONE  a.ts:1\n")
  expect(text).toContain("Read by nothing here:\n  PORT\n")

  await writeFile(join(cwd, "src/a.ts"), "process.env.PORT")
  expect(await run(["scan", "src"])).toMatchObject({
    code: 0,
    err: "envkeep: the environment has all 1 names that are read\n",
  })
  expect(await run(["scan", "none"])).toMatchObject({ code: 1, err: "envkeep: there is no folder none\n" })
})

test("completion works in bash, asks the server for names, and is silent when it is away", async () => {
  const { run, cwd, env, ann } = await loginWorld()
  await ann.collection("$(touch hacked)")
  for (const shell of ["bash", "zsh", "fish"]) expect((await run(["completion", shell])).code).toBe(0)
  await writeFile(join(cwd, "completion.bash"), (await run(["completion", "bash"])).out)
  await writeFile(join(cwd, "envkeep"), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, { mode: 0o755 })
  expect(await start(["bash", "--norc", "-n", "completion.bash"], { cwd, input: "" }).ended).toMatchObject({
    code: 0,
    err: "",
  })
  const complete = async (words: string, more: Record<string, string> = {}) => {
    const script = `. ./completion.bash; COMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _envkeep; echo "\${COMPREPLY[@]}"`
    const PATH = `${cwd}:${process.env["PATH"]}`
    return (
      await start(["bash", "--norc", "-c", script], { cwd, env: { ...env, PATH, ...more }, input: "" }).ended
    ).out.trim()
  }
  expect(await complete("envkeep pu")).toBe("pull push")
  expect(await complete("envkeep push --re")).toBe("--replace")
  expect(await complete("envkeep list -c ''")).toBe("app")
  expect(await complete("envkeep pull -e pro")).toBe("production")
  expect(await complete("envkeep pull -e pro", { ENVKEEP_URL: "http://127.0.0.1:9" })).toBe("")
  expect(await complete("envkeep completion f")).toBe("fish")
})
