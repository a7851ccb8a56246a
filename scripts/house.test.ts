import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { apiDocs } from "./api-docs.ts"

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")

test("the lockfile names no place to download from", () => {
  expect(read("package-lock.json")).not.toMatch(/"resolved": "http/)
})

test("docs/api.md is what the contract says now: run `npm run docs` after changing it", () => {
  expect(read("docs/api.md")).toBe(apiDocs())
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
