import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const document = readFileSync(join(root, "docs/security.md"), "utf8")
const [, asvs = ""] = document.split("## OWASP ASVS 5.0\n")
const [list = ""] = asvs.split("\n## ")
const rows = list.split("\n").filter((line) => /^\| \d/.test(line))

test("every test that docs/security.md names exists, by file and title", () => {
  const named = [...document.matchAll(/`([\w./-]+\.(?:test|journey)\.tsx?)`: "([^"]+)"/g)]
  expect(named.length).toBeGreaterThan(90)
  const missing = named.filter(([, file = "", title = ""]) => {
    const source = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : ""
    return !source.includes(`"${title}"`)
  })
  expect(missing.map(([reference]) => reference)).toEqual([])
  for (const [, file = ""] of document.matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)) {
    expect(existsSync(join(root, file)), file).toBe(true)
  }
})

test("every row of what is held names a test, or the document that it asks for", () => {
  const held = rows.filter((row) => row.split(" | ").length === 4)
  expect(held.length).toBeGreaterThan(60)
  const unproven = held.filter(
    (row) => !/\.(test|journey)\.tsx?`: "|\]\([\w./-]+\.md\)/.test(row.split(" | ")[3] ?? ""),
  )
  expect(unproven).toEqual([])
  for (const [, path = ""] of document.matchAll(/\]\(([\w./-]+\.md)\)/g)) {
    expect(existsSync(join(root, "docs", path)), path).toBe(true)
  }
})

// How many items each section of ASVS 5.0.0 has: those of V1.1, V1.2 and so on.
const sizes: Record<number, number[]> = {
  1: [2, 10, 12, 3, 3],
  2: [3, 3, 5, 2],
  3: [1, 3, 5, 8, 8, 1, 5],
  4: [5, 5, 2, 4],
  5: [1, 6, 3, 3],
  6: [3, 12, 8, 6, 8, 4, 2, 4],
  7: [3, 4, 2, 5, 3, 2],
  8: [4, 4, 3, 2],
  9: [3, 4],
  10: [2, 3, 5, 16, 5, 2, 3],
  11: [4, 5, 5, 4, 2, 2, 2],
  12: [5, 2, 5],
  13: [4, 6, 4, 7],
  14: [2, 8, 3],
  15: [5, 5, 7, 4],
  16: [1, 5, 4, 3, 4],
  17: [2, 8, 2],
}

test("every item of the ASVS stands in exactly one table, and no other number does", () => {
  const all = Object.entries(sizes).flatMap(([chapter, sections]) =>
    sections.flatMap((size, at) => Array.from({ length: size }, (_, item) => `${chapter}.${at + 1}.${item + 1}`)),
  )
  expect(all).toHaveLength(345)
  const listed = rows.flatMap((row) => {
    const [, items = ""] = /^\| ([\d., *]+) \|/.exec(row) ?? []
    return items.split(", ").flatMap((one) => {
      return one.endsWith(".*") ? all.filter((item) => item.startsWith(one.slice(0, -1))) : [one]
    })
  })
  expect(listed.toSorted()).toEqual(all.toSorted())
})
