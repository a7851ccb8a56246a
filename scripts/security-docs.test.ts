import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "..")
const [security = "", asvs = ""] = ["security", "asvs"].map((name) =>
  readFileSync(join(root, `docs/${name}.md`), "utf8"),
)
const documents = security + asvs
const rows = asvs.split("\n").filter((line) => /^\| \d/.test(line))

test("every test, file and document that the security documents name exists", () => {
  const tests = [...documents.matchAll(/`([\w./-]+\.(?:test|journey)\.tsx?)`: "([^"]+)"/g)]
  const missing = tests.filter(([, file = "", title = ""]) => {
    const source = existsSync(join(root, file)) ? readFileSync(join(root, file), "utf8") : ""
    return !source.includes(`"${title}"`)
  })
  expect(missing.map(([reference]) => reference)).toEqual([])
  for (const [, file = ""] of documents.matchAll(/`([\w-]+\/[\w./-]+\.ts)`/g)) {
    expect(existsSync(join(root, file)), file).toBe(true)
  }
  for (const [, path = ""] of documents.matchAll(/\]\(([\w./-]+\.md)\)/g)) {
    expect(existsSync(join(root, "docs", path)), path).toBe(true)
  }
  for (const [, heading] of asvs.matchAll(/see \*([^*]+)\*/g)) expect(security).toMatch(`# ${heading}\n`)
})

test("every ASVS item that we say we meet names a test, or the document that it asks for", () => {
  const met = rows.filter((row) => row.split(" | ").length === 4)
  const unproven = met.filter((row) => !/\.(test|journey)\.tsx?`: "|\]\([\w./-]+\.md\)/.test(row.split(" | ")[3] ?? ""))
  expect(met).not.toEqual([])
  expect(unproven).toEqual([])
})

test("no ASVS item is left out between its neighbours, and none is answered twice", () => {
  const listed = rows.flatMap((row) => /^\| ([\d., *]+) \|/.exec(row)?.[1]?.split(", ") ?? [])
  expect(listed.filter((item, at) => listed.indexOf(item) !== at)).toEqual([])
  // `5.4.*` answers a whole section, `9.*` a whole chapter.
  for (const whole of listed.filter((item) => item.endsWith("*"))) {
    const inside = listed.filter((item) => item !== whole && item.startsWith(whole.slice(0, -1)))
    expect(inside, `${whole} covers these already`).toEqual([])
  }
  const before = listed.flatMap((item) => item.split(".").map((_, at, parts) => previous(parts.slice(0, at + 1))))
  const answered = (item: string) => listed.some((one) => one === item || one.startsWith(`${item}.`))
  expect(before.filter((item) => item !== undefined && !answered(item))).toEqual([])
  expect(answered("17"), "the last chapter").toBe(true)
})

/** The item, section or chapter before this one; nothing before a first one, nor before all of them at once. */
function previous(parts: string[]): string | undefined {
  const last = Number(parts.at(-1))
  return last > 1 ? [...parts.slice(0, -1), last - 1].join(".") : undefined
}
