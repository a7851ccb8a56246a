import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

interface Package {
  version?: string
  link?: boolean
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  optional?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")
const lock: Record<string, Package> = JSON.parse(read("package-lock.json")).packages
const house: { allowScripts: Record<string, boolean>; workspaces: string[] } = JSON.parse(read("package.json"))
const workspaces = house.workspaces.map((name) => [name, JSON.parse(read(`${name}/package.json`)) as Package] as const)

test("docs/security.md lists the packages that the product takes from the registry, and how many come with them", () => {
  const listed = [...read("docs/security.md").matchAll(/^\| `([\w-]+)` \| (.*) \| (\d+) \|$/gm)].map(
    ([, name, packages = "", count]) => [
      name,
      packages
        .replaceAll("`", "")
        .split(", ")
        .filter((one) => one !== "nothing"),
      Number(count),
    ],
  )
  const shipped = ["server", "web", "client"].map((name) => {
    const direct = Object.keys(lock[name]?.dependencies ?? {}).filter((one) => !one.startsWith("@envkeep/"))
    return [name, direct, allOf(name).size]
  })
  expect(listed).toEqual(shipped)
})

test("docs/decisions says of each package of the server what it is for, and why this one", () => {
  const decision = read("docs/decisions/036-dependencies-of-the-server.md")
  const explained = [...decision.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name)
  const direct = Object.keys(lock["server"]?.dependencies ?? {}).filter((one) => !one.startsWith("@envkeep/"))
  expect(explained.toSorted()).toEqual(direct.toSorted())
})

test("only the listed packages run code when they are installed", () => {
  // Our own is first: it says if Node is too old.
  const running = Object.keys(lock).filter((path) => path !== "" && lock[path]?.hasInstallScript)
  expect(running.map((path) => path.replace(/^.*node_modules\//, "")).sort()).toEqual(
    Object.keys(house.allowScripts).sort(),
  )
})

test("every version is exact, and every package is verified by its hash", () => {
  for (const [name, { dependencies = {}, devDependencies = {} }] of workspaces) {
    for (const [one, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      expect(version, `${one} of ${name}`).toMatch(/^\d+\.\d+\.\d+$/)
    }
  }
  const fromRegistry = Object.entries(lock).filter(([path, { link }]) => path.includes("node_modules/") && !link)
  expect(fromRegistry).not.toEqual([])
  const unproven = fromRegistry.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"))
  expect(unproven.map(([path]) => path)).toEqual([])
})

/** Every package that a part of the product needs at run time, found as Node finds it. */
function allOf(start: string): Set<string> {
  const found = new Set<string>()
  const left = [start]
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    for (const name of Object.keys(lock[path]?.dependencies ?? {})) {
      const place = locate(path, name)
      const target = lock[place]?.link ? (lock[place]?.resolved ?? place) : place
      if (found.has(target)) continue
      found.add(target)
      left.push(target)
    }
  }
  return new Set([...found].filter((path) => path.includes("node_modules/")))
}

function locate(from: string, name: string): string {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/")))) {
    const place = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (lock[place] !== undefined) return place
    if (folder === "") throw new Error(`${name} of ${from} is not in the lockfile`)
  }
}
