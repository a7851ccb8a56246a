import { describe, withComment } from "./comments.ts"
import { hasReference } from "./references.ts"
import type { ImportEntry, Reading } from "./result.ts"

const headCharacters = 20_000

/**
 * Whether it is a `.properties` file of Java that says something else to dotenv. Names with dots alone are not enough: they
 * can be in a .env file, which has quotes.
 */
export function isProperties(text: string): boolean {
  const head = text.slice(0, headCharacters).replaceAll("\r\n", "\n")
  const lines = head.split("\n").filter((line) => /^[ \t]*[\w.-]+[ \t]*[=:]/.test(line))
  const dotted = lines.filter((line) => /^[ \t]*[a-z][\w-]*(?:\.[\w-]+)+[ \t]*[=:]/.test(line))
  if (dotted.length * 2 <= lines.length || lines.some((line) => /^[^=:]*[=:][ \t]*["'`]/.test(line))) return false
  return /^[ \t]*!|\\u[\dA-Fa-f]{4}|\\[:=#! \\]|\\\n[ \t]/m.test(head)
}

export function readProperties(text: string): Reading {
  const entries: ImportEntry[] = []
  const faults: Reading["faults"] = []
  let comments: string[] = []
  for (const { line, written } of logicalLines(text)) {
    if (/^[#!]/.test(written) || written === "") {
      comments = withComment(comments, written.replace(/^!/, "#"))
      continue
    }
    // A name ends at the first separator without a backslash before it.
    const [head = "", name = ""] = /^((?:\\.|[^\\=: \t\f])*)[ \t\f]*[=:]?[ \t\f]*/s.exec(written) ?? []
    const value = unescaped(written.slice(head.length))
    const wholeName = unescaped(name)
    if (value === undefined || wholeName === undefined)
      faults.push({ line, reason: "it has a \\u without four digits" })
    else if (wholeName === "") faults.push({ line, reason: "it has no name" })
    else entries.push({ line, name: wholeName, value, ...describe(comments), ...hasReference(value) })
    comments = []
  }
  return { what: ".properties file", because: "its names and escapes are those of Java", entries, faults }
}

/** The lines, joined where one ends in a backslash, without the blanks that they begin with. */
function* logicalLines(text: string): Generator<{ line: number; written: string }> {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/)
  for (let at = 0; at < lines.length; at++) {
    const first = at
    const parts = [trimmedStart(lines[at])]
    while (!/^[#!]/.test(parts[0] ?? "") && continues(parts.at(-1)) && at + 1 < lines.length) {
      parts.push(trimmedStart(lines[++at]))
    }
    const written = parts.map((part, index) => (index < parts.length - 1 ? part.slice(0, -1) : part)).join("")
    yield { line: first + 1, written }
  }
}

function trimmedStart(line = ""): string {
  return line.replace(/^[ \t\f]+/, "")
}

/** Whether an odd number of backslashes ends it. */
function continues(line = ""): boolean {
  let count = 0
  while (line[line.length - 1 - count] === "\\") count++
  return count % 2 === 1
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", f: "\f" }

function unescaped(text: string): string | undefined {
  if (/(?<!\\)(?:\\\\)*\\u(?![\dA-Fa-f]{4})/.test(text)) return undefined
  return text.replace(/\\(?:u([\dA-Fa-f]{4})|(.)|$)/gs, (_, code?: string, mark = "") =>
    code === undefined ? (escapes[mark] ?? mark) : String.fromCharCode(Number.parseInt(code, 16)),
  )
}
