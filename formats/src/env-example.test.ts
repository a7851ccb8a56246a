import fc from "fast-check"
import { expect, test } from "vitest"
import { type DescribedName, parseComment, parseEnvExample, printEnvExample } from "./env-example.ts"
import { readImport } from "./import/index.ts"

const plain = { description: "", isRequired: false, isSecret: true, kind: "text", choices: [], example: "" } as const

test("a .env.example has descriptions as comments, marks and examples", () => {
  const text = printEnvExample([
    { ...plain, name: "API_KEY", description: "From the console.\nAsk Ann for access." },
    { ...plain, name: "LOG_LEVEL", isSecret: false, kind: "choice", choices: ["debug", "a b"], example: "debug" },
    { ...plain, name: "PORT", isRequired: true, kind: "port", example: "3000" },
    { ...plain, name: "GREETING", example: "hello world" },
    { ...plain, name: "OTHER" },
  ])
  expect(text).toBe(`# From the console.
# Ask Ann for access.
API_KEY=

# @sensitive=false @type=enum(debug, "a b")
LOG_LEVEL=debug

# @required @type=port
PORT=3000

GREETING='hello world'

OTHER=
`)
})

test("what a .env file cannot hold is left out of it", () => {
  const odd = { ...plain, name: "a b", description: "odd\rA=1\u2028B=2" }
  const example = { ...plain, name: "X", example: "a\rb" }
  expect(printEnvExample([odd, example])).toBe("# odd\n# A=1\n# B=2\n# a b cannot be in a .env file\n\nX=\n")
})

test("what was exported is imported again", () => {
  const names: DescribedName[] = [
    { ...plain, name: "A", description: "One line." },
    { ...plain, name: "B", description: "Two\n\nparagraphs", isRequired: true, kind: "url", example: "https://a.b/#c" },
    { ...plain, name: "C", isSecret: false, kind: "choice", choices: ["a", "b, c", 'd"e', "(f)"], example: "a" },
    { ...plain, name: "D", kind: "pem" },
  ]
  const found = parseEnvExample(printEnvExample(names))
  expect(found.map((one) => ({ ...plain, ...one }))).toEqual(names)
})

const pieces = [
  ..."@ # = - _ ! \" ' \\ \u2028 \u2029 \n".split(" "),
  ..." |@required|@type=url|A=1|export B=2|---|====|u2028|\\u2028|x|word|Created by Vercel CLI|🎉|é|\n\n".split("|"),
]
// Spaces at the ends of lines are not kept.
const description = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => {
  return parts
    .join("")
    .split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
})

test.each([
  "# note",
  "@required by law",
  "@type=url is a mark",
  "A=1",
  "----",
  "=",
  '"quoted"',
  "a\u2028b",
  "a\\u2028b",
  "\\@x",
  "a\n\nb",
])("the description %j is read back, by the list of names and by the import", async (text) =>
  expect(await readBack(text)).toEqual([text, text]),
)

test("every description is read back", async () => {
  await fc.assert(
    fc.asyncProperty(description, async (text) => {
      fc.pre(text !== "")
      expect(await readBack(text)).toEqual([text, text])
    }),
    { numRuns: 1_000 },
  )
})

async function readBack(text: string): Promise<unknown[]> {
  const names = [
    { ...plain, name: "A", description: text, isRequired: true, example: "1" },
    { ...plain, name: "B", description: text },
  ]
  const printed = printEnvExample(names)
  const { entries, faults } = await readImport(printed, "dotenv")
  expect(faults).toEqual([])
  expect(parseEnvExample(printed).map(({ isRequired }) => isRequired)).toEqual([true, undefined])
  const byImport = entries.map((entry) => parseComment(entry.description ?? "").description)
  const byNames = parseEnvExample(printed).map((one) => one.description)
  expect([byImport[1], byNames[1]]).toEqual([byImport[0], byNames[0]])
  return [byNames[0], byImport[0]]
}

test("the comments of existing files become descriptions", () => {
  const text = `\ufeff# ------------------
# About the whole file
# ------------------

# The database.
# Ask for access.
DATABASE_URL="postgres://localhost/app"\r
#OLD_NAME=1
export PORT=3000 # where it listens
QUOTED='a # b' # after it
HASH="a # b"

## Apart from the next

LONELY=
# @optional @type=number @sensitive=false
TIMEOUT=
# Flag to choose
# @required @type=enum(development, staging, 'production') @docs=https://example.com
APP_ENV=development
# @type=string(startsWith=sk-) @sensitive @example="sk-123"
SECRET=
# first
TWICE=1
# second
TWICE=2
not a line
`
  expect(parseEnvExample(text)).toEqual([
    { name: "DATABASE_URL", description: "The database.\nAsk for access.", example: "postgres://localhost/app" },
    { name: "PORT", description: "where it listens", example: "3000" },
    { name: "QUOTED", description: "after it", example: "a # b" },
    { name: "HASH", example: "a # b" },
    { name: "LONELY" },
    { name: "TIMEOUT", isRequired: false, kind: "number", isSecret: false },
    {
      name: "APP_ENV",
      description: "Flag to choose",
      isRequired: true,
      kind: "choice",
      choices: ["development", "staging", "production"],
      example: "development",
    },
    { name: "SECRET", isSecret: true, example: "sk-123" },
    { name: "TWICE", description: "second", example: "2" },
  ])
})

test("a long and hostile file is read at once", () => {
  const lines = ["#".repeat(100_000), `# @type=enum(${"(".repeat(50_000)}`, `# @${'a="'.repeat(30_000)}`]
  const quotes = `A=${"'\"`#".repeat(20_000)}`
  expect(parseEnvExample([...lines, quotes, "B=1"].join("\n")).at(-1)?.name ?? "").toBeTypeOf("string")
  expect(parseEnvExample(`${" ".repeat(100_000)}x\n# ${"x ".repeat(50_000)}\nB=1`)).toMatchObject([{ name: "B" }])
})
