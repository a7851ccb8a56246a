import { keyBlockAt, unquotedKeyAt } from "./key-block.ts"
import type { Parsed } from "./variable.ts"

const assignment = /^[ \t]*(?:export[ \t]+)?([^=\s]+)[ \t]*=[ \t]*/
const nameCharacters = /^[\w.-]+$/

/** A value or the reason why there is none, and where reading continues. */
type Found = ({ value: string } | { reason: string }) & { end: number }

/** A part of a `.env` file that is read on its own: one line, or several if a quoted value spans them. */
export type DotenvPart = { line: number } & (
  | { kind: "variable"; name: string; value: string; quote: string; rest: string }
  | { kind: "fault"; reason: string }
  | { kind: "empty"; text: string }
)

/**
 * Reads a `.env` file as dotenv does. A line is reported instead where Node and dotenv disagree about quotes, and where
 * a value would lose a part that its author most likely meant to keep.
 */
export function parseDotenv(text: string): Parsed {
  const parsed: Parsed = { variables: [], faults: [] }
  for (const part of dotenvParts(text)) {
    if (part.kind === "variable") parsed.variables.push({ name: part.name, value: part.value })
    else if (part.kind === "fault") parsed.faults.push({ line: part.line, reason: part.reason })
  }
  return parsed
}

/** The same with line numbers, blank lines and comments. `rest` is what follows a value on its line. */
export function* dotenvParts(text: string): Generator<DotenvPart> {
  const source = text.replace(/^\ufeff/, "").replaceAll("\r\n", "\n")
  let start = 0
  for (let line = 1; start < source.length; line++) {
    const end = endOfLine(source, start)
    const current = source.slice(start, end)
    const [head = "", name = ""] = assignment.exec(current) ?? []
    const found = keyBlockAt(source, start) ?? readValue(source, { start: start + head.length, end }, name)
    const next = endOfLine(source, found.end)
    if ("value" in found) {
      const quote = /^['"`]/.exec(source.slice(start + head.length, end))?.[0] ?? ""
      const rest = quote === "" ? current.slice(head.length + found.value.length) : source.slice(found.end, next)
      yield { kind: "variable", line, name, value: found.value, quote, rest }
    } else if (isEmpty(current)) yield { kind: "empty", line, text: current }
    else yield { kind: "fault", line, reason: found.reason }
    line += source.slice(end, found.end).split("\n").length - 1
    start = next + 1
  }
}

function readValue(source: string, { start, end }: { start: number; end: number }, name: string): Found {
  if (name === "") return { reason: "it is not a NAME=value line", end }
  if (!nameCharacters.test(name)) {
    return { reason: "the name has characters other than letters, digits, '_', '.' and '-'", end }
  }
  if (start < end && `'"\``.includes(source.charAt(start))) return readQuoted(source, { start, end })
  const value = bareValue(source.slice(start - 1, end))
  const continued = "value" in value && /(?:^|[^\\])\\(?:\\\\)*$/.test(value.value) && continuationAt(source, end)
  return unquotedKeyAt(source, start) ?? (continued || { ...value, end })
}

function readQuoted(source: string, { start, end }: { start: number; end: number }): Found {
  const quote = source.charAt(start)
  const close = source.indexOf(quote, start + 1)
  if (close === -1) return { reason: "its quote is never closed; nothing after it was read", end: source.length }
  const value = source.slice(start + 1, close)
  const reason = quotedFault(value, quote, source.slice(close + 1, endOfLine(source, close)))
  if (reason === undefined) {
    return { value: quote === '"' ? value.replaceAll("\\n", "\n") : value, end: close + 1 }
  }
  // Past the end of the line it is unknown what still belongs to the value: its lines could pass for variables.
  return close < end ? { reason, end } : { reason: `${reason}; nothing after it was read`, end: source.length }
}

function quotedFault(value: string, quote: string, rest: string): string | undefined {
  if (value.includes("\r")) return "it has a carriage return inside a line"
  if (value.endsWith("\\")) return "it has a backslash before a quote, which readers interpret differently"
  if (!isEmpty(rest)) return "it has text after the closing quote"
  if (quote === '"' && value.includes("\\r")) {
    return String.raw`it has a \r in double quotes, which readers interpret differently`
  }
  return undefined
}

/**
 * A backslash at the end of a line joins it with the next one in many formats, but not in this one. It is reported if the
 * next line is indented, or is no line of its own.
 */
function continuationAt(source: string, end: number): Found | undefined {
  const next = endOfLine(source, end + 1)
  const line = source.slice(end + 1, next)
  if (isEmpty(line) || (/^[^ \t]/.test(line) && line.includes("="))) return undefined
  return { reason: "it ends in a backslash, and the next line may belong to it", end: next }
}

/** Takes the value with the one character before it, which decides whether a hash sign begins a comment. */
function bareValue(text: string): { value: string } | { reason: string } {
  const hash = text.indexOf("#", 1)
  if (hash !== -1 && !/[ \t]/.test(text.charAt(hash - 1))) {
    return { reason: "it has a # that needs quotes, or a space before it" }
  }
  const value = withoutBlanksAtEnd(hash === -1 ? text.slice(1) : text.slice(1, hash))
  if (/[\r\u2028\u2029]/.test(text)) return { reason: "it has an unusual line break" }
  // dotenv trims every kind of space, Node only these two.
  if (value !== value.trim()) return { reason: "it begins or ends with an unusual space" }
  return { value }
}

/** A pattern such as `[ \t]+$` would take seconds for a line with many blanks in its middle. */
function withoutBlanksAtEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === " " || text[end - 1] === "\t") end--
  return text.slice(0, end)
}

/** Blank or only a comment. A character that some readers take for a line break could hide a variable from the others. */
function isEmpty(line: string): boolean {
  return /^[ \t]*(#[^\r\u2028\u2029]*)?$/.test(line)
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf("\n", from)
  return end === -1 ? source.length : end
}
