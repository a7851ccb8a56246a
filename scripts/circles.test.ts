import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")

const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.ts", "*.tsx"], {
  cwd: root,
  encoding: "utf8",
})
  .trim()
  .split("\n")
  .filter((file) => existsSync(join(root, file)))

/** What each file imports of ours. A type is erased before anything runs, but it binds two files together all the same. */
const imports = new Map(files.map((file) => [file, importsOf(file)]))

function importsOf(file: string): string[] {
  const source = readFileSync(join(root, file), "utf8")
  return Array.from(source.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g), ([, target = ""]) => located(file, target))
}

function located(file: string, target: string): string {
  if (target.startsWith(".")) return normalize(join(dirname(file), target))
  const [, workspace = "", path] = /^@envkeep\/([a-z0-9-]+)(?:\/(.+))?$/.exec(target) ?? []
  return workspace === "" ? target : `${workspace}/src/${path ?? "index.ts"}`
}

test("no file imports itself by way of others", () => {
  expect(circlesIn(imports)).toEqual([])
})

test("no feature imports itself by way of others, whatever its files are called", () => {
  const featureOf = (file: string) => /^(server|web)\/src\/features\/[^/]+/.exec(file)?.[0]
  const features = new Map<string, string[]>()
  for (const [file, targets] of imports) {
    const feature = featureOf(file)
    if (feature === undefined || /\.test\.tsx?$/.test(file)) continue
    const others = targets.map(featureOf).filter((other) => other !== undefined && other !== feature)
    features.set(feature, [...(features.get(feature) ?? []), ...(others as string[])])
  }
  expect(features.size).toBeGreaterThan(8)
  expect(circlesIn(features)).toEqual([])
})

test("a circle would be found", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["a"]],
    ["d", []],
  ])
  expect(circlesIn(graph)).toEqual([["a", "b", "c", "a"]])
})

function circlesIn(graph: Map<string, string[]>): string[][] {
  const circles: string[][] = []
  const finished = new Set<string>()
  for (const start of graph.keys()) follow(start, [])
  return circles

  function follow(node: string, trail: string[]): void {
    if (finished.has(node)) return
    if (trail.includes(node)) {
      circles.push([...trail.slice(trail.indexOf(node)), node])
      return
    }
    for (const next of graph.get(node) ?? []) follow(next, [...trail, node])
    finished.add(node)
  }
}
