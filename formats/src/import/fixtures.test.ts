import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { lintImport, readImport } from "./index.ts"

const folder = join(import.meta.dirname, "../../fixtures")
const expectedFile = join(folder, "expected.json")
const files = readdirSync(folder).filter((file) => file !== "expected.json")

/** What each file of the folder is read as. Values are those of the file. */
const expected: Record<string, unknown> = JSON.parse(readFileSync(expectedFile, "utf8"))

/** As a browser reads a dropped file, but with bytes that are no text replaced, as in a paste. */
const outcomeOf = async (file: string) => {
  const { entries, ...read } = await readImport(readFileSync(join(folder, file), "utf8"))
  const findings = lintImport(entries, { environmentName: "production", isProtected: false })
  return {
    ...read,
    entries: entries.map((entry, at) => {
      const kinds = findings.filter((finding) => finding.at === at).map(({ kind }) => kind)
      return kinds.length > 0 ? { ...entry, findings: kinds } : entry
    }),
  }
}

test("there are at least 60 files, and an outcome for each", () => {
  expect(files.length).toBeGreaterThanOrEqual(60)
  expect(Object.keys(expected).sort()).toEqual(files.sort())
})

test.each(files)("%s", async (file) => {
  expect(await outcomeOf(file)).toEqual(expected[file])
})
