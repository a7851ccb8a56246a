import { expect, test } from "vitest"
import { lintImport, readImport } from "./index.ts"

// Texts that were made, or happen, to keep a parser busy. Each is as long as a text can be before it is refused for its
// length. Where the time grows by the square of the length, these take minutes, and the test runs into its timeout.

const yamlCharacters = 1_499_000
const fill = (piece: string, characters: number) => piece.repeat(characters / piece.length)
const yaml = (piece: string) => `A: ${fill(piece, yamlCharacters)}`

const tooDeep = /nested more than 64 levels/
const tooManyParts = /too many parts/
const tooManyLines = /too many lines/
const tooLongYaml = /^This YAML is too long/
const expanding = /^The anchors and aliases in this YAML expand to too much/

test.each<[string, string, RegExp]>([
  ["JSON of brackets", fill("[", 8_000_000), tooDeep],
  ["JSON of ten thousand levels", `{"A":${"[".repeat(10_000)}`, tooDeep],
  ["a long list", `[${fill("1,", 8_000_000)}1]`, tooManyParts],
  ["many objects", `[${fill('{"name":"A","value":"1"},', 8_000_000)}{}]`, tooManyParts],
  ["lines of names", fill("A=1\n", 8_000_000), tooManyLines],
  ["empty lines", fill("\n", 8_000_000), tooManyLines],
  ["thirty thousand names", fill("A=1\n", 120_000), /more than 20,000 variables/],
  ["a log", fill("12:00 started\n", 500_000), /does not look like a file of variables/],
  ["one line of assignments", `export ${fill("A=1 ", 8_000_000)}`, /more than 20,000 variables/],
  ["YAML of brackets", yaml("["), tooDeep],
  ["YAML of closing brackets", yaml("]"), tooLongYaml],
  ["YAML of braces with names", yaml("{a: "), tooDeep],
  ["YAML of dashes", `A:\n${fill("- ", yamlCharacters)}x`, tooLongYaml],
  ["YAML of tags", yaml("!a "), tooLongYaml],
  ["YAML of aliases", `A: &a x\nB: [${fill("*a,", yamlCharacters)}]`, tooLongYaml],
  ["YAML of invalid escapes", `A: "${fill("\\q", yamlCharacters)}"`, /^This is not valid YAML/],
  ["merges of merges", merges(1_000), expanding],
])("%s are refused with a sentence", async (_, text, sentence) => {
  const { refusal, entries } = await readImport(text)
  expect(refusal).toMatch(sentence)
  expect(entries).toEqual([])
})

test.each<[string, string]>([
  ["a line of spaces", `A=a${fill(" ", 5_000_000)}b`],
  ["a line of quotes", `A=${fill("'", 5_000_000)}`],
  ["a line of hash signs", fill("#", 5_000_000)],
  ["words without an equals sign", fill("x ", 5_000_000)],
  ["a line in double quotes for a shell", `export A="${fill("x", 5_000_000)}`],
  ["line breaks that a shell joins", `export A=1 ${fill("\\\n", 500_000)}`],
  ["JSON of backslashes", `{"A":"${fill("\\", 5_000_000)}`],
  ["JSON of one long text", `{"A":"${fill("x", 5_000_000)}"}`],
  ["YAML of one long text", yaml("x ")],
  ["YAML of colons", yaml("x:")],
  ["lines that may be of Heroku or systemd", `${fill('A="\\\\"\n', 100_000)}B`],
  ["lines that Java joins", `a.b=${fill("\\\n ", 600_000)}`],
  ["backslashes for Java", `a.b=\\:${fill("\\", 5_000_000)}`],
  ["here-documents without an end", fill("cat <<A\n", 2_000_000)],
  ["lines of base64", fill(`${"aB1".repeat(20)}\n`, 8_000_000)],
  ["escapes of bytes", `export A=$'${fill("\\303\\251", 4_000_000)}'`],
  ["PEMs without an end", fill("A=-----BEGIN KEY-----\n", 300_000)],
  ["an almost typographic quote", `A='${fill(" ", 5_000_000)}“'`],
  ["almost placeholders", fill(`A=my key${"key".repeat(60)}!\n`, 500_000)],
  ["almost addresses", `A=${fill("localhost.", 5_000_000)}`],
])("%s are read", async (_, text) => {
  const { refusal, entries } = await readImport(text)
  expect(refusal).toBeUndefined()
  expect(lintImport(entries, { environmentName: "production", isProtected: true })).toBeDefined()
})

test("a Secret of a megabyte with ten thousand names is read", async () => {
  const line = (_: unknown, at: number) => `  # Comment\n  NAME_${at}: "value ${"v".repeat(80)}"\n`
  const secret = `apiVersion: v1\nkind: Secret\nstringData:\n${Array.from({ length: 10_000 }, line).join("")}`
  const { what, entries, faults, refusal } = await readImport(secret)
  expect({ what, faults, refusal, count: entries.length }).toEqual({
    what: "Kubernetes Secret",
    faults: [],
    refusal: undefined,
    count: 10_000,
  })
})

function merges(count: number): string {
  const line = (_: unknown, at: number) => `m${at}: &m${at} {${at > 0 ? `<<: *m${at - 1}, ` : ""}k${at}: 1}`
  return Array.from({ length: count }, line).join("\n")
}
