import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

// A rule whose element is gone is found by nothing else: the screens look the same with it. A class, a variable or an
// animation of the style sheets must be named by a source, and what a source names must be in a sheet.

const web = join(import.meta.dirname, "../web")
const read = (path: string) => readFileSync(join(web, path), "utf8")

const sheets = globSync("src/**/*.css", { cwd: web })
const sources = globSync(["src/**/*.{ts,tsx}", "build.ts", "index.html"], { cwd: web }).filter(
  (path) => !/\.test\.tsx?$|^src\/test\//.test(path),
)
const css = sheets.map((path) => withoutComments(read(path))).join("\n")
const code = sources.map(read).join("\n")
const mantine = ["core", "notifications"]
  .map((name) => readFileSync(join(import.meta.dirname, `../node_modules/@mantine/${name}/styles.css`), "utf8"))
  .join("\n")

test("every class of a style sheet is named by a source", () => {
  expect(unusedClasses(css, code)).toEqual([])
  expect(unusedClasses(".page, .page--old > a { margin: 0 }", '<main className="page page--new" />')).toEqual([
    "page--old",
  ])
})

test("a class whose end is computed counts as named", () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: code to read.
  expect(unusedClasses(".cell--1 { top: 0 } .row--1 { top: 0 }", "<b className={`cell--${group}`} />")).toEqual([
    "row--1",
  ])
})

test("every class that an element has is in a style sheet", () => {
  expect(classesWithoutRule(css, code)).toEqual([])
  expect(classesWithoutRule(".page { margin: 0 }", '<main className="page page--old" />')).toEqual(["page--old"])
})

test("every part of a Mantine component that a style sheet changes is one of a component that a source uses", () => {
  expect(unusedParts(css, code)).toEqual([])
  expect(unusedParts(".mantine-Slider-root { margin: 0 }", 'import { Text } from "@mantine/core"')).toEqual(["Slider"])
})

test("every variable is read, by us or by Mantine, and what is read is set", () => {
  // Some of its own Mantine reads by a name that it computes.
  const ofMantine = variablesOf(mantine)
  expect(unusedVariables(css, code + mantine).filter((name) => !ofMantine.has(name))).toEqual([])
  expect(unknownVariables(css, code + mantine)).toEqual([])
  expect(unusedVariables(":root { --old: 0; --gap: 1px } p { margin: var(--gap) }", "")).toEqual(["--old"])
  expect(unknownVariables("p { margin: var(--gap) var(--inset, 0) }", "")).toEqual(["--gap"])
})

test("every animation is used, and those that are used exist", () => {
  expect(animationsOf(css)).toEqual({ unused: [], unknown: [] })
  const planted = "@keyframes old { to { top: 0 } } p { animation: slide 1s } b { animation: none }"
  expect(animationsOf(planted)).toEqual({ unused: ["old"], unknown: ["slide"] })
})

test.each(sheets)("%s has one rule for each selector", (path) => {
  expect(repeatedSelectors(withoutComments(read(path)))).toEqual([])
})

test("a selector in two rules under the same condition is found", () => {
  expect(repeatedSelectors("p { top: 0 } @media print { p { top: 1px } } p { left: 0 }")).toEqual(["p"])
})

function withoutComments(sheet: string): string {
  return sheet.replace(/\/\*[\s\S]*?\*\//g, "")
}

function classesOf(sheet: string): Set<string> {
  const selectors = Array.from(sheet.matchAll(/([^{};]+)\{/g), ([, selector = ""]) => selector)
  return new Set(selectors.flatMap((selector) => found(selector, /\.([A-Za-z_][\w-]*)/g)))
}

function unusedClasses(sheet: string, source: string): string[] {
  const words = new Set(source.match(/[A-Za-z_][\w-]*/g))
  const beginnings = found(source, /([A-Za-z_][\w-]*(?:--|__))\$\{/g)
  return [...classesOf(sheet)].filter(
    (name) => !name.startsWith("mantine-") && !words.has(name) && !beginnings.some((one) => name.startsWith(one)),
  )
}

function classesWithoutRule(sheet: string, source: string): string[] {
  const known = classesOf(sheet)
  const named = found(source, /className="([^"]+)"/g).flatMap((names) => names.split(" "))
  return [...new Set(named)].filter((name) => !known.has(name))
}

/** Parts that several components have. */
const shared: Record<string, string> = { Input: "TextInput", InputWrapper: "TextInput" }

function unusedParts(sheet: string, source: string): string[] {
  const imported = found(source, /import \{([^}]*)\} from "@mantine\//g).flatMap((names) => names.match(/\w+/g) ?? [])
  const parts = new Set(found(sheet, /\.mantine-([A-Za-z]+)-/g))
  return [...parts].filter((part) => !imported.includes(shared[part] ?? part))
}

/** Names before a colon: in a block of rules, or as the key of an object. */
function variablesOf(text: string): Set<string> {
  return new Set(found(text, /(?<![\w(-])["'[]*(--[\w-]+)["'\]]*\s*:/g))
}

function unusedVariables(sheet: string, others: string): string[] {
  const isRead = new Set(found(sheet + others, /var\(\s*(--[\w-]+)/g))
  return [...variablesOf(sheet)].filter((name) => !isRead.has(name))
}

function unknownVariables(sheet: string, others: string): string[] {
  const isSet = variablesOf(sheet + others)
  const isRead = found(sheet, /var\(\s*(--[\w-]+)\s*\)/g)
  return [...new Set(isRead)].filter((name) => !isSet.has(name) && !name.startsWith("--mantine-"))
}

function animationsOf(sheet: string): { unused: string[]; unknown: string[] } {
  const existing = found(sheet, /@keyframes ([\w-]+)/g)
  const used = found(sheet, /animation(?:-name)?: ([\w-]+)/g).filter((name) => name !== "none")
  return {
    unused: existing.filter((name) => !used.includes(name)),
    unknown: used.filter((name) => !existing.includes(name)),
  }
}

/** Selectors that two rules of the same block have, whether that is the sheet or what a condition encloses. */
function repeatedSelectors(sheet: string): string[] {
  const repeated: string[] = []
  const blocks: Set<string>[] = [new Set()]
  for (const [, before = "", brace] of sheet.matchAll(/([^{}]*)([{}])/g)) {
    if (brace === "}") {
      blocks.pop()
      continue
    }
    const selector = (before.split(";").at(-1) ?? "").trim().replace(/\s+/g, " ")
    const around = blocks.at(-1)
    // The same condition may enclose rules in several places: each is next to what it changes.
    if (!selector.startsWith("@")) {
      if (around?.has(selector)) repeated.push(selector)
      around?.add(selector)
    }
    blocks.push(new Set())
  }
  return repeated
}

function found(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, first = ""]) => first)
}
