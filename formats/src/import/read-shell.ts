import { keyBlockAt, unquotedKeyAt } from "../key-block.ts"
import { readAnsiQuotes } from "./ansi-quotes.ts"
import { describe, withComment } from "./comments.ts"
import { withUnixBreaks } from "./line-breaks.ts"
import { type ImportEntry, maxFound, type Reading } from "./result.ts"

/** What a script may say besides assignments without changing any variable. */
const harmless = /^set\s+[-+]\w+(?:\s+\w+)?\s*;?\s*$/
const prefix = /(?:export|readonly|local|(?:declare|typeset)(?:[ \t]+-[A-Za-z]+)*)[ \t]+/y
const nameAndEquals = /([A-Za-z_][A-Za-z0-9_]*)=/y
/** Characters that mean nothing to a shell, without quotes and in double quotes. */
const plain = /[^ \t\n;&|<>()`'"\\$]+/y
const plainInDouble = /[^"`\\$]+/y

type Word = ({ value: string; hasReference: boolean } | { reason: string }) & { end: number }

/** Lines such as `export NAME='value'`, by the rules of a POSIX shell and bash. Nothing is expanded or run. */
export function readShell(text: string): Reading {
  const source = withUnixBreaks(text)
  const entries: ImportEntry[] = []
  const faults: Reading["faults"] = []
  let comments: string[] = []
  let line = 1
  for (let at = 0; at < source.length; ) {
    const end = endOfLine(source, at)
    const current = source.slice(at, end)
    const trimmed = current.trim()
    if (trimmed === "" || trimmed.startsWith("#") || harmless.test(trimmed)) {
      if (!harmless.test(trimmed)) comments = withComment(comments, current)
      at = end + 1
      line++
      continue
    }
    const key = keyBlockAt(source, at)
    const statement = key === undefined ? withoutHereDocument(source, at, line) : { entries: [], ...key }
    const description = describe(comments)
    for (const entry of statement.entries) entries.push({ ...entry, ...description })
    if (statement.reason !== undefined) faults.push({ line, reason: statement.reason })
    comments = []
    line += countBreaks(source, at, statement.end) + 1
    at = statement.end + 1
  }
  const exports = /^[ \t]*(?:export|declare|typeset)\s/m.test(source)
  const because = exports ? "its lines are export NAME=value" : "its values are quoted as shells do"
  return { what: "Shell script", because, entries, faults }
}

interface Statement {
  entries: ImportEntry[]
  reason?: string
  /** Where its last line ends. */
  end: number
}

/** The lines of a here-document are text for a command, whatever they look like. */
function withoutHereDocument(source: string, start: number, line: number): Statement {
  const statement = readStatement(source, start, line)
  if (statement.reason === undefined) return statement
  const end = endOfLine(source, start)
  const [, tabs, , word] = /<<(-?)[ \t]*(["']?|\\)([A-Za-z_]\w*)/.exec(source.slice(start, end)) ?? []
  if (word === undefined) return statement
  const reason = "it has a here-document, whose lines are not read"
  for (let at = end; at < source.length; ) {
    const next = endOfLine(source, at + 1)
    const current = source.slice(at + 1, next)
    if ((tabs === "-" ? current.replace(/^\t+/, "") : current) === word) return { entries: [], reason, end: next }
    at = next
  }
  return { entries: [], reason: `${reason}, and which never ends`, end: source.length }
}

/** One line, or several if quotes or backslashes join them. */
function readStatement(source: string, start: number, line: number): Statement {
  const entries: ImportEntry[] = []
  let countedTo = start
  let currentLine = line
  let at = skipPrefix(source, skipSpaces(source, start))
  for (;;) {
    nameAndEquals.lastIndex = at
    const [head = "", name = ""] = nameAndEquals.exec(source) ?? []
    if (head === "") return { entries, reason: "it is not a NAME=value line", end: endOfLine(source, at) }
    const word = unquotedKeyAt(source, at + head.length) ?? readWord(source, at + head.length)
    if ("reason" in word) return { entries, reason: word.reason, end: endOfLine(source, word.end) }
    currentLine += countBreaks(source, countedTo, at)
    countedTo = at
    entries.push({
      line: currentLine,
      name,
      value: word.value,
      ...(word.hasReference && { hasReference: true as const }),
    })
    at = skipSpaces(source, word.end)
    if (source[at] === ";") at = skipPrefix(source, skipSpaces(source, at + 1))
    if (at >= source.length || source[at] === "\n") return { entries, end: at }
    // A text of so many is refused.
    if (entries.length > maxFound) return { entries, end: source.length }
    if (source[at] === "#") return { entries, end: endOfLine(source, at) }
  }
}

/** One word of a shell: parts with and without quotes, until a space, a semicolon or the end of the line. */
function readWord(source: string, start: number): Word {
  let value = ""
  let hasReference = false
  for (let at = start; ; ) {
    const mark = source[at]
    if (mark === undefined || /[ \t\n;]/.test(mark)) return { value, hasReference, end: at }
    if (/[&|<>()]/.test(mark)) return { reason: `it has a ${mark} outside of quotes`, end: at }
    if (mark === "`" || source.startsWith("$(", at))
      return { reason: "it runs a command, and Envkeep keeps only text", end: at }
    if (mark === "'") {
      const close = source.indexOf("'", at + 1)
      if (close === -1) return unclosed(source)
      value += source.slice(at + 1, close)
      at = close + 1
    } else if (source.startsWith("$'", at)) {
      const part = readAnsiQuotes(source, at + 2)
      if (part === undefined) return unclosed(source)
      if ("reason" in part) return part
      value += part.value
      at = part.end
    } else if (mark === '"' || source.startsWith('$"', at)) {
      const part = readDouble(source, at + (mark === '"' ? 1 : 2))
      if ("reason" in part) return part
      value += part.value
      hasReference ||= part.hasReference
      at = part.end
    } else if (mark === "\\") {
      if (source[at + 1] !== "\n") value += source[at + 1] ?? "\\"
      at += 2
    } else {
      hasReference ||= mark === "$" && /^\$[A-Za-z_{]/.test(source.slice(at, at + 2))
      const part = matchAt(plain, source, at) || mark
      value += part
      at += part.length
    }
  }
}

function readDouble(source: string, start: number): Word {
  let value = ""
  let hasReference = false
  for (let at = start; at < source.length; at++) {
    const part = matchAt(plainInDouble, source, at)
    value += part
    at += part.length
    const mark = source.charAt(at)
    if (mark === '"') return { value, hasReference, end: at + 1 }
    if (mark === "`" || source.startsWith("$(", at))
      return { reason: "it runs a command, and Envkeep keeps only text", end: at }
    if (mark === "\\" && /[$`"\\\n]/.test(source.charAt(at + 1))) {
      at++
      if (source[at] !== "\n") value += source.charAt(at)
    } else {
      hasReference ||= mark === "$" && /^\$[A-Za-z_{]/.test(source.slice(at, at + 2))
      value += mark
    }
  }
  return unclosed(source)
}

function unclosed(source: string): Word {
  return { reason: "its quote is never closed; nothing after it was read", end: source.length }
}

function skipPrefix(source: string, from: number): number {
  return from + matchAt(prefix, source, from).length
}

/** What a sticky pattern matches there, or nothing. */
function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(source)?.[0] ?? ""
}

function skipSpaces(source: string, from: number): number {
  let at = from
  while (source[at] === " " || source[at] === "\t" || source.startsWith("\\\n", at)) at += source[at] === "\\" ? 2 : 1
  return at
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from)
  return end === -1 ? source.length : end
}

/** Not by indexOf, which would search to the end of a text of one line each time. */
function countBreaks(source: string, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; at++) if (source[at] === "\n") count++
  return count
}
