import { execFileSync, spawnSync } from "node:child_process"
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { eventually } from "@envkeep/testing/eventually.ts"
import { findNodes } from "@envkeep/testing/machine/nodes.ts"
import { buildSync } from "esbuild"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { keySamples } from "../../web/src/features/api-keys/key-samples.ts"
import { samples } from "../../web/src/features/landing/samples.ts"
import { start } from "./command.ts"
import { faultyProxy } from "./proxy.ts"
import { asEnv, temporaryFolder, world } from "./world.ts"

const root = join(import.meta.dirname, "../..")
const dist = join(root, "client/dist")
const greeting = [{ name: "GREETING", value: "hello 'world'\n$HOME" }]

/** An empty project that has installed the packed tarball without the network. */
let project = ""
/** What a server needs to hand out the same tarball. */
let webDir = ""

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "envkeep-project-"))
  await writeFile(join(project, "package.json"), "{}")
  const npm = (...args: string[]) =>
    execFileSync("npm", [...args, "--silent", "--offline"], { cwd: project, encoding: "utf8" }).trim()
  const tarball = npm("pack", join(root, "client"), "--ignore-scripts")
  npm("install", `./${tarball}`, "--no-audit", "--no-fund")
  webDir = join(project, "web")
  await mkdir(webDir)
  await writeFile(join(webDir, "index.html"), "")
  await copyFile(join(project, tarball), join(webDir, "envkeep.tgz"))
  await writeFile(join(project, "app.js"), "console.log(process.env.GREETING)\n")
})

afterAll(() => rm(project, { recursive: true }))

test("it has no dependencies; its library is under 10 kB when compressed, and its command under 45 kB", async () => {
  expect(await readdir(join(project, "node_modules"))).toEqual([".bin", ".package-lock.json", "envkeep"])
  const installed = JSON.parse(await readFile(join(project, "node_modules/envkeep/package.json"), "utf8"))
  expect(installed).not.toHaveProperty("dependencies")
  const names = (await readdir(dist)).filter((name) => /\.c?js$/.test(name))
  const code = await Promise.all(names.map((name) => readFile(join(dist, name))))
  expect(names.sort()).toEqual(["apply.cjs", "apply.js", "cli.cjs", "index.cjs", "index.js"])
  const library = code.filter((_, at) => names[at] !== "cli.cjs")
  expect(gzipSync(Buffer.concat(library), { level: 9 }).length).toBeLessThan(10_000)
  const command = code.filter((_, at) => names[at] === "cli.cjs")
  expect(gzipSync(Buffer.concat(command), { level: 9 }).length).toBeLessThan(45_000)
})

describe.each(findNodes())("on Node $version", ({ path: node }) => {
  const use =
    "const env = await load(); console.log(JSON.stringify([env.json(), new EnvkeepError('server', 'x').code]))"
  const seen = `${JSON.stringify([{ GREETING: greeting[0]?.value }, "server"])}\n`

  test("an ES module and a CommonJS module use it, and share one error", async () => {
    const env = asEnv(await world(greeting))
    const esm = `import { EnvkeepError, load } from "envkeep"; ${use}`
    const cjs = `const { EnvkeepError, load } = require("envkeep"); (async () => { ${use} })()`
    const both = `import { createRequire } from "node:module"; import { EnvkeepError } from "envkeep"
      console.log(createRequire(import.meta.url)("envkeep").EnvkeepError === EnvkeepError)`
    expect(await runFile("a.mjs", esm, env)).toEqual({ code: 0, out: seen, err: "" })
    expect(await runFile("a.cjs", cjs, env)).toEqual({ code: 0, out: seen, err: "" })
    expect(await runFile("b.mjs", both, env)).toEqual({ code: 0, out: "true\n", err: "" })
  })

  test("envkeep/apply fills the environment before the program starts, however it is loaded", async () => {
    const env = asEnv(await world(greeting))
    const out = `${greeting[0]?.value}\n`
    const print = "console.log(process.env.GREETING)"
    expect(await runFile("c.mjs", `import "envkeep/apply"; ${print}`, env)).toEqual({ code: 0, out, err: "" })
    expect(await runFile("c.cjs", `require("envkeep/apply"); ${print}`, env)).toEqual({ code: 0, out, err: "" })
    for (const flag of ["--import", "--require"]) {
      expect(await run([node, flag, "envkeep/apply", "app.js"], env)).toEqual({ code: 0, out, err: "" })
      const options = { ...env, NODE_OPTIONS: `${flag} envkeep/apply` }
      expect(await run([node, "app.js"], options)).toEqual({ code: 0, out, err: "" })
    }
  })

  test("a bundle that requires envkeep/apply ends with one line, and works if envkeep is external", async () => {
    const env = asEnv(await world(greeting))
    // Without this, a program that starts itself would go on after the test has failed.
    const limit = "if ((process.env.STARTS += 'x').length > 20) process.exit(9)"
    await writeFile(join(project, "e.cjs"), `${limit}; require("envkeep/apply"); console.log(process.env.GREETING)`)
    const bundle = (outfile: string, external: string[]) =>
      buildSync({ absWorkingDir: project, entryPoints: ["e.cjs"], outfile, external, bundle: true, platform: "node" })
    bundle("bundled.cjs", [])
    const err = "envkeep: envkeep/apply cannot be required in a bundle: make envkeep external, or import it\n"
    expect(await run([node, "bundled.cjs"], { ...env, STARTS: "" })).toEqual({ code: 1, out: "", err })
    bundle("external.cjs", ["envkeep"])
    const out = `${greeting[0]?.value}\n`
    expect(await run([node, "external.cjs"], { ...env, STARTS: "" })).toEqual({ code: 0, out, err: "" })
  })

  test("envkeep/apply stops a program when it cannot load the variables, with one line", async () => {
    const env = { ENVKEEP_URL: "http://127.0.0.1:9", ENVKEEP_KEY: "ek_mistyped" }
    for (const [file, text] of [
      ["d.mjs", 'import "envkeep/apply"; console.log("started")'],
      ["d.cjs", 'require("envkeep/apply"); console.log("started")'],
    ] as const) {
      const { code, out, err } = await runFile(file, text, env)
      const line = "envkeep: the API key is mistyped or incomplete: copy it again\n"
      expect({ code, out, err }).toEqual({ code: 1, out: "", err: line })
    }
    for (const flag of ["--import", "--require"]) {
      const away = { ...asEnv(await world()), ENVKEEP_URL: "http://127.0.0.1:9" }
      expect(await run([node, flag, "envkeep/apply", "app.js"], away)).toEqual({
        code: 1,
        out: "",
        err: "envkeep: the server at http://127.0.0.1:9 cannot be reached: connection refused\n",
      })
    }
  })

  async function runFile(name: string, text: string, env: Record<string, string>) {
    await writeFile(join(project, name), text)
    return run([node, name], env)
  }
})

describe("TypeScript", () => {
  const program = `
    import { check, type Env, EnvkeepError, type ErrorCode, type Format, formats, load } from "envkeep"
    import "envkeep/apply"
    async function main(): Promise<void> {
      const env: Env = await load({ url: undefined, timeout: 1_000, cache: { file: "x", maxStale: 1 } })
      const format: Format = formats[0]
      const value: string | undefined = env.get("A")
      const stop: () => void = env.watch((next) => next.apply({ override: true }), ({ code }: EnvkeepError) => code)
      await env.save(".env", { format })
      const code: ErrorCode = new EnvkeepError("bad_key", value ?? "").code
      stop()
      console.log(code, (await check()).revision, env.json()["A"], env.source === "cache")
    }
    main()`

  test.each([
    ["nodenext", "x.mts"],
    ["nodenext", "x.cts"],
    ["bundler", "x.ts"],
  ])("with moduleResolution %s, %s compiles against its types, and mistakes do not", async (moduleResolution, name) => {
    const compile = async (text: string) => {
      await writeFile(join(project, name), `declare const console: { log(...words: unknown[]): void }\n${text}`)
      const options = { strict: true, noEmit: true, types: [], lib: ["ES2022"], exactOptionalPropertyTypes: true }
      const module = moduleResolution === "bundler" ? "esnext" : "nodenext"
      const config = { compilerOptions: { ...options, module, moduleResolution }, files: [name] }
      await writeFile(join(project, "tsconfig.json"), JSON.stringify(config))
      return run([join(root, "node_modules/.bin/tsc"), "-p", "."], {})
    }
    expect(await compile(program)).toEqual({ code: 0, out: "", err: "" })
    expect((await compile(program.replace("string | undefined", "number"))).out).toMatch(/TS2322/)
    expect((await compile(program.replace("env.source", "env.sauce"))).out).toMatch(/TS2339/)
  })
})

describe("the README", async () => {
  const readme = await readFile(join(root, "client/README.md"), "utf8")
  const uses = Array.from(readme.matchAll(/^## (.*)\n\n```(js|sh)\n([^`]*)```$/gm), ([, title, language, code]) => ({
    title: String(title),
    language: String(language),
    code: String(code),
  }))

  // The last line of each shell example is the GREETING of the shell itself after it.
  const outputs: Record<string, string> = {
    "Run a command with them": "app/production, revision 2, by the key ci\nhello\n\n",
    "Load them at the start of a program": "hello\n",
    "Read them in code": "hello 2 live\n",
    "Save or print them in any format": "hello\n",
    "Follow changes and survive outages": "now hello again\n",
  }

  test("shows five uses in at most ten lines each", () => {
    expect(uses).toHaveLength(5)
    for (const { code } of uses) expect(code.trimEnd().split("\n").length).toBeLessThanOrEqual(10)
  })

  test.each(uses)("$title: the snippet does what it says", async ({ title, language, code }) => {
    const made = await world([{ name: "GREETING", value: "hello" }])
    const proxy = await faultyProxy(made.url)
    await writeFile(join(project, "use.mjs"), code)
    const words = language === "js" ? [process.execPath, "use.mjs"] : ["sh", "-ec", `${code}\necho "\${GREETING-}"`]
    const ended = run(words, asEnv({ ...made, url: proxy.url }))
    if (code.includes("watch(")) {
      await vi.waitUntil(() => proxy.connections === 2, eventually)
      await made.bulk([{ name: "GREETING", value: "hello again" }])
    }
    expect(await ended).toEqual({ code: 0, out: outputs[title], err: "" })
  })

  test("leaves the files that it mentions", async () => {
    const saved = await Promise.all(
      [".env", "app.env", "secret.yaml"].map((name) => readFile(join(project, name), "utf8")),
    )
    expect(saved).toEqual([
      expect.stringMatching(/^# .*\nGREETING=hello\n$/),
      expect.stringMatching(/^# .*\nGREETING="hello"\n$/),
      expect.stringContaining('"GREETING": "aGVsbG8="'),
    ])
  })
})

describe("the guide on the landing page", () => {
  const guide = samples("http://localhost:3000")
  const code = (language: string) => guide.filter((sample) => sample.language === language).map((one) => one.code)

  test("its code is one program, and does what it says", async () => {
    const env = asEnv(await world([{ name: "DATABASE_URL", value: "postgres://db/app" }]))
    const shown = "console.log(JSON.stringify([url, process.env.DATABASE_URL, variables, text]))"
    await writeFile(join(project, "guide.mjs"), [...code("ts"), shown].join("\n"))
    const url = "postgres://db/app"
    expect(await run([process.execPath, "guide.mjs"], env)).toEqual({
      code: 0,
      out: `${JSON.stringify([url, url, { DATABASE_URL: url }, `DATABASE_URL=${url}\n`])}\n`,
      err: "",
    })
    expect(await readFile(join(project, ".env"), "utf8")).toMatch(/^# .*\nDATABASE_URL=postgres:.*\n$/)
  })

  test("its commands do what they say", async () => {
    const env = asEnv(await world([{ name: "PORT", value: "8080" }]))
    await writeFile(join(project, "server.js"), "console.log(process.env.PORT)\n")
    const commands = (code("sh").at(-1) ?? "").split("\n").filter((line) => line.startsWith("npx "))
    const watching = commands.find((line) => line.includes("--watch")) ?? ""
    const outputs = []
    for (const line of commands.filter((line) => line !== watching)) {
      const { code, out, err } = await run(["sh", "-ec", line], env)
      outputs.push([code, out.trim(), err])
    }
    expect(outputs).toEqual([
      [0, "8080", ""],
      [0, '{"PORT":"8080"}', ""],
      [0, "", ""],
      [0, "app/production, revision 2, by the key ci", ""],
    ])
    const started = start(["sh", "-ec", `exec ${watching}`], {
      cwd: project,
      env: { HOME: project, ...env },
      input: "",
    })
    expect(await started.line()).toBe("8080")
  })

  test("names the settings that the package reads", () => {
    expect(code("sh")[0]).toBe("export ENVKEEP_URL=http://localhost:3000\nexport ENVKEEP_KEY=ek_your_api_key")
  })
})

describe("the samples for a key", () => {
  const variables = [
    { name: "GREETING", value: "hello" },
    { name: "PORT", value: "8080" },
  ]

  /** The samples for a server that is running, and a way to run one of their steps in a new project. */
  async function samplesOfKey() {
    const made = await world(variables, { webDir })
    const folder = await temporaryFolder()
    await writeFile(join(folder, "package.json"), "{}")
    await writeFile(join(folder, "app.js"), "console.log(process.env.GREETING)\n")
    const samples = keySamples({ origin: made.url, key: made.key })
    const step = (title: string) => {
      const found = samples.flatMap(({ steps }) => steps).find((one) => one.title === title)
      if (found === undefined) throw new Error(`there is no sample ${title}`)
      return found.code
    }
    // There is no registry, so what npm installs comes from the server.
    const npm = { npm_config_registry: "http://127.0.0.1:9", npm_config_cache: join(folder, "npm") }
    const shell = async (code: string, env: Record<string, string> = {}) => {
      const words = ["bash", "-ec", code]
      const { ended } = start(words, { cwd: folder, env: { HOME: folder, ...npm, ...asEnv(made), ...env }, input: "" })
      const { code: exitCode, out } = await ended
      return { exitCode, out }
    }
    return { folder, step, shell }
  }

  test("envkeep run: npx gets the command from the server", async () => {
    const { step, shell } = await samplesOfKey()
    const code = step("envkeep run")
    // npx asks for a newer version by another address, as the README says.
    for (const one of [code, code.replace("envkeep.tgz", "envkeep.tgz?v=2")]) {
      expect(await shell(one, { ENVKEEP_URL: "", ENVKEEP_KEY: "" })).toEqual({ exitCode: 0, out: "hello\n" })
    }
  })

  test("Node: the package is installed from the server, and both kinds of module load", async () => {
    const { folder, step, shell } = await samplesOfKey()
    expect((await shell(step("Install the package"))).exitCode).toBe(0)
    await writeFile(join(folder, "esm.mjs"), step("ES module"))
    await writeFile(join(folder, "cjs.cjs"), step("CommonJS"))
    expect(await shell("node esm.mjs && node cjs.cjs")).toEqual({ exitCode: 0, out: "2 variables\n2 variables\n" })
  })

  test.skipIf(!has("curl"))("curl prints the variables, and Docker gets them as a file", async () => {
    const { folder, step, shell } = await samplesOfKey()
    expect(await shell(step("curl"))).toEqual({ exitCode: 0, out: "GREETING=hello\nPORT=8080\n" })
    await writeFile(join(folder, "docker"), '#!/bin/sh\necho "$@"\ncat "$4"\n', { mode: 0o755 })
    const PATH = `${folder}:${process.env["PATH"]}`
    expect(await shell(step("Docker"), { PATH })).toEqual({
      exitCode: 0,
      out: "run --rm --env-file app.env your-image\nGREETING=hello\nPORT=8080\n",
    })
    expect((await stat(join(folder, "app.env"))).mode & 0o777).toBe(0o600)
  })

  test.skipIf(!has("python3"))("Python needs only its standard library", async () => {
    const { folder, step, shell } = await samplesOfKey()
    await writeFile(join(folder, "app.py"), `${step("Python")}\nprint(os.environ["GREETING"])\n`)
    const code = `${step("Set the server and the key")}\npython3 app.py`
    expect(await shell(code)).toEqual({ exitCode: 0, out: "2 variables\nhello\n" })
  })

  test("GitHub Actions: the key goes to gh by its input, not into its arguments", async () => {
    const { folder, step, shell } = await samplesOfKey()
    await writeFile(join(folder, "gh"), '#!/bin/sh\necho "$@"\ngrep -c "^$ENVKEEP_KEY$"\n', { mode: 0o755 })
    const PATH = `${folder}:${process.env["PATH"]}`
    expect(await shell(step("Store the key as a secret"), { PATH })).toEqual({
      exitCode: 0,
      out: "secret set ENVKEEP_KEY\n1\n",
    })
  })

  function has(program: string): boolean {
    return spawnSync(program, ["--version"]).status === 0
  }
})

function run(words: string[], env: Record<string, string>) {
  return start(words, { cwd: project, env: { HOME: project, ...env }, input: "" }).ended
}
