// A key or certificate in PEM has lines that end in an equals sign, or two. They must never pass for names: names are
// not encrypted, and the lines are the key.

const begin = /^[ \t]*-----? ?BEGIN [A-Z0-9 ]+-----?[ \t\r]*$/
/** Where a value begins: most lines have none, and the line of one can be megabytes long. */
const beginsValue = /-----? ?BEGIN [A-Z0-9 ]+-----?/y
const end = /^[ \t]*-----? ?END [A-Z0-9 ]+-----?[ \t\r]*$/
/** Base64, the checksum of PGP, or a header such as `Proc-Type: 4,ENCRYPTED`. */
const inside = /^[ \t]*(?:=?[A-Za-z0-9+/]+={0,2}|[A-Za-z0-9-]+: .*)[ \t\r]*$/
const base64 = /^[ \t]*[A-Za-z0-9+/]+={0,2}[ \t\r]*$/
/** A line of base64 that is no name: of several kinds of characters, and longer than names are. */
const longBase64 = /^(?=.*[a-z])(?=.*[A-Z])(?=.*[0-9+/])[ \t]*[A-Za-z0-9+/]{40,}={0,2}[ \t\r]*$/

export interface KeyBlock {
  reason: string
  /** Where its last line ends. */
  end: number
}

/** The key or certificate whose first line begins there, if it has no name. */
export function keyBlockAt(source: string, start: number): KeyBlock | undefined {
  const first = source.slice(start, endOfLine(source, start))
  if (begin.test(first)) {
    const reason = 'it is a key or certificate without a name: write it as NAME="…"'
    return { reason, end: endOfBlock(source, start) }
  }
  if (!longBase64.test(first)) return undefined
  return { reason: "it is base64 without a name", end: endOfLines(source, start, base64) }
}

/** All of them, for texts whose lines are taken literally. */
export function keyBlocksIn(text: string): (KeyBlock & { line: number; start: number })[] {
  const found: (KeyBlock & { line: number; start: number })[] = []
  let line = 1
  for (let start = 0; start < text.length; line++) {
    const block = keyBlockAt(text, start)
    if (block !== undefined) {
      found.push({ ...block, line, start })
      line += text.slice(start, block.end).split("\n").length - 1
    }
    start = (block?.end ?? endOfLine(text, start)) + 1
  }
  return found
}

/** The same as `keyBlockAt` for a value without quotes that begins there, of which only the first line has a name. */
export function unquotedKeyAt(source: string, start: number): KeyBlock | undefined {
  beginsValue.lastIndex = start
  if (!beginsValue.test(source)) return undefined
  const after = endOfLine(source, start) + 1
  if (!inside.test(source.slice(after, endOfLine(source, after)))) return undefined

  return { reason: "its key or certificate of several lines needs quotes", end: endOfBlock(source, start) }
}

function endOfBlock(source: string, start: number): number {
  const last = endOfLines(source, start, inside)
  const next = source.slice(last + 1, endOfLine(source, last + 1))
  // A blank line separates the headers from the base64.
  if (next.trim() === "" && last < source.length) {
    const further = endOfLines(source, last + 1, inside)
    if (further > last + 1 + next.length) return withEnd(source, further)
  }
  return withEnd(source, last)
}

function withEnd(source: string, last: number): number {
  const next = endOfLine(source, last + 1)
  return last < source.length && end.test(source.slice(last + 1, next)) ? next : last
}

/** Where the last of the lines ends that match, from the one after the first. */
function endOfLines(source: string, start: number, pattern: RegExp): number {
  for (let last = endOfLine(source, start); ; ) {
    const next = endOfLine(source, last + 1)
    if (last >= source.length || !pattern.test(source.slice(last + 1, next))) return last
    last = next
  }
}

function endOfLine(source: string, from: number): number {
  const at = source.indexOf("\n", from)
  return at === -1 ? source.length : at
}
