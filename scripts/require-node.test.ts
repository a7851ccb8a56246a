import { spawnSync } from "node:child_process"
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { transformSync } from "esbuild"
import { expect, onTestFinished, test } from "vitest"

const folder = import.meta.dirname
const files = globSync("*.cjs", { cwd: folder })

test("what says that Node is too old is JavaScript that Node 12 can parse", () => {
  expect(files).toEqual(expect.arrayContaining(["preinstall.cjs", "require-node.cjs", "start.cjs"]))
  for (const file of files) {
    const code = readFileSync(join(folder, file), "utf8")
    const lowered = transformSync(code, { target: "node12.22" }).code
    expect(lowered, file).toBe(transformSync(code, { target: "esnext" }).code)
    // It asks before it loads anything: names with `node:` were unknown too.
    const [first] = [...code.matchAll(/\b(?:require|import)\(("[^"]*")\)/g)]
    expect(first?.[1], file === "require-node.cjs" ? "none" : file).toBe(
      file === "require-node.cjs" ? undefined : '"./require-node.cjs"',
    )
  }
})

test.each([
  [
    "preinstall.cjs",
    "v18.20.0",
    /^envkeep: Envkeep needs Node 20 or newer, and this is v18\.20\.0: install a newer one/,
  ],
  [
    "start.cjs",
    "v20.20.2",
    /^envkeep: Envkeep needs Node 24 or newer, and this is v20\.20\.2: run npm ci without --ig/,
  ],
])("%s on an older Node is one sentence", (file, version, sentence) => {
  const { status, stdout, stderr } = spawnOn(version, file)
  expect([status, stdout, stderr.match(/\n/g)?.length]).toEqual([1, "", 1])
  expect(stderr).toMatch(sentence)
})

test("preinstall says nothing on a Node that can install", () => {
  expect(spawnOn("v20.0.0", "preinstall.cjs")).toMatchObject({ status: 0, stdout: "", stderr: "" })
})

/** In a copy of the folder that has nothing else, with what Node says about itself replaced. */
function spawnOn(version: string, file: string) {
  const copy = mkdtempSync(join(tmpdir(), "envkeep-old-node-"))
  onTestFinished(() => rmSync(copy, { recursive: true }))
  for (const one of files) cpSync(join(folder, one), join(copy, one))
  const replaced = `for (const [where, name, value] of [
    [process, "version", "${version}"], [process.versions, "node", "${version.slice(1)}"]
  ]) Object.defineProperty(where, name, { value })`
  const preload = `data:text/javascript,${encodeURIComponent(replaced)}`
  return spawnSync(process.execPath, ["--import", preload, join(copy, file)], { encoding: "utf8" })
}
