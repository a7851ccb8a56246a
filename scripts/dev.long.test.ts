import { type ChildProcess, spawn } from "node:child_process"
import { EventEmitter, once } from "node:events"
import * as fs from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { afterAll, expect, onTestFinished, test } from "vitest"

const root = join(import.meta.dirname, "..")
const folder = copySources()
afterAll(() => fs.rmSync(folder, { recursive: true }))

test("the server restarts at each change, also of the contract and the formats, and after a crash", async () => {
  const { said } = await dev()
  for (const file of ["server/src/main.ts", "contract/src/index.ts", "formats/src/index.ts"]) {
    const source = fs.readFileSync(join(folder, file), "utf8")
    // Twice: what follows the file instead of its name misses the second one.
    for (const edit of [`first edit of ${file}`, `second edit of ${file}`]) {
      replace(join(folder, file), `console.log("${edit}")\n${source}`)
      await said(edit)
      await said("Server listening")
    }
  }

  const main = join(folder, "server/src/main.ts")
  const source = fs.readFileSync(main, "utf8")
  replace(main, "a typo")
  await said("the server crashed")
  replace(main, source)
  await said("Server listening")
})

test("the screens pass calls on to the server of PORT", async () => {
  const { port, screens } = await dev()
  const answers = [`http://127.0.0.1:${port}`, screens].map((url) => fetch(`${url}/api/openapi.json`))
  const [direct, passedOn] = await Promise.all(answers.map(async (answer) => (await answer).json()))
  expect(passedOn).toEqual(direct)
})

test.each(["SIGTERM", "SIGINT"] as const)("%s stops everything that was started", async (signal) => {
  const { child, ended } = await dev()
  const started = childrenOf(child)
  expect(started).toHaveLength(2)
  child.kill(signal)
  expect(await ended).toEqual([0, null])
  expect(started.filter(isRunning)).toEqual([])
})

test.each(["server/src/main.ts", "vite"])("when %s is killed, everything else is stopped", async (command) => {
  const { child, ended } = await dev()
  const started = childrenOf(child)
  const victim = started.find((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(command))
  process.kill(Number(victim), "SIGKILL")
  expect(await ended).toEqual([1, null])
  expect(started.filter(isRunning)).toEqual([])
})

/** `npm run dev` on a copy of the sources, with the server and the screens up. */
async function dev() {
  const port = await freePort()
  const child = spawn(process.execPath, [join(root, "scripts/dev.ts"), folder], {
    env: { PATH: process.env["PATH"], PORT: String(port), ENVKEEP_DATA_DIR: join(folder, "data"), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const ended = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGTERM")
    await ended
  })
  const said = listenTo(child, ended)
  const [screens] = await Promise.all([said("Local: "), said("Server listening")])
  return { port, child, ended, said, screens: /http:\S+\d/.exec(screens)?.[0] ?? "" }
}

/** Packages of the registry are linked, ours are copied. */
function copySources(): string {
  const folder = fs.mkdtempSync(join(tmpdir(), "envkeep-dev-"))
  for (const name of ["server", "contract", "formats", "web", "tsconfig.base.json"]) {
    fs.cpSync(join(root, name), join(folder, name), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist|test)$|\.test\.tsx?$/.test(path),
    })
  }
  const modules = join(folder, "node_modules")
  fs.mkdirSync(join(modules, "@envkeep"), { recursive: true })
  for (const name of fs.readdirSync(join(root, "node_modules")).filter((name) => !/^\.|^@envkeep$/.test(name))) {
    fs.symlinkSync(join(root, "node_modules", name), join(modules, name))
  }
  for (const name of ["contract", "formats"]) fs.symlinkSync(join(folder, name), join(modules, "@envkeep", name))
  return folder
}

/** As many editors save: a new file takes the place of the old one. */
function replace(file: string, content: string): void {
  fs.writeFileSync(`${file}~`, content)
  fs.renameSync(`${file}~`, file)
}

/** Waits for a line that has the words, after the last one that was waited for. */
function listenTo(child: ChildProcess, ended: Promise<unknown>): (words: string) => Promise<string> {
  const lines: string[] = []
  const heard = new EventEmitter()
  let next = 0
  for (const input of [child.stdout, child.stderr]) {
    if (input === null) continue
    createInterface({ input }).on("line", (line) => {
      lines.push(line)
      heard.emit("line")
    })
  }
  const over = ended.then(() => {
    throw new Error(`npm run dev has ended:\n${lines.join("\n")}`)
  })
  over.catch(() => undefined)
  return async (words) => {
    const from = next
    for (;;) {
      const at = lines.findIndex((line, at) => at >= from && line.includes(words))
      if (at >= 0) {
        next = Math.max(next, at + 1)
        return lines[at] ?? ""
      }
      await Promise.race([once(heard, "line"), over])
    }
  }
}

function childrenOf({ pid }: ChildProcess): number[] {
  return fs.readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").map(Number)
}

function isRunning(pid: number): boolean {
  return fs.existsSync(`/proc/${pid}`)
}
