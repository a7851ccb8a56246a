import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cliDocs } from "../client/docs.ts"
import { figures } from "../web/src/features/landing/figures.ts"
import { apiDocs } from "./api-docs.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")

test("the lockfile names no place to download from", () => {
  expect(read("package-lock.json")).not.toMatch(/"resolved": "http/)
})

test("docs/api.md is what the contract says now: run `npm run docs` after changing it", () => {
  expect(read("docs/api.md")).toBe(apiDocs())
  expect(read("docs/cli.md")).toBe(cliDocs())
})

test("the pipelines run exactly the test command of the README", () => {
  const command = /^npm ci && npm test$/m
  expect(read("README.md")).toMatch(command)
  expect(read(".ci/run")).toMatch(command)
  expect(read(".github/workflows/ci.yml")).toMatch(/ run: \.ci\/run$/m)
})

test("nvm takes the Node that the product runs on", () => {
  const pinned: string = JSON.parse(read("package.json")).devDependencies.node
  expect(`${pinned}.`).toMatch(new RegExp(`^${read(".nvmrc").trim()}\\.`))
})

test("the changelog has the version that package.json of the server has", () => {
  expect(read("CHANGELOG.md")).toContain(`\n## [${JSON.parse(read("server/package.json")).version}]`)
})

test("the figures of the landing page hold in the last results of the benchmark", () => {
  const results = read("bench/results.md")
  const rowsOf = (title: string) => {
    const [, section = ""] = results.split(`\n## ${title}\n`)
    const rows = (section.split("\n## ")[0] ?? "").matchAll(/^\| (?:Envkeep on )?(?:SQLite|PostgreSQL) \|(.*)\|$/gm)
    return Array.from(rows, ([, cells = ""]) =>
      cells.split("|").map((cell) => Number.parseFloat(cell.replace(",", ""))),
    )
  }
  const column = (title: string, at: number) => {
    const cells = rowsOf(title).map((row) => row[at] ?? Number.NaN)
    expect(cells, title).toHaveLength(2)
    return cells
  }
  expect(figures.map(({ figure }) => figure)).toEqual(["25,000+", "< 0.2 s", "< 130 MB"])
  expect(Math.min(...column("Read by key", 6))).toBeGreaterThan(25_000)
  expect(Math.max(...column("10,000 watchers", 3))).toBeLessThan(200)
  expect(Math.max(...column("Memory", 0))).toBeLessThan(130)
  // About a second.
  expect(Math.max(...column("Start to first answer", 0))).toBeLessThan(1_250)
})
