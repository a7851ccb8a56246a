import type { Parsed, Variable } from "./variable.ts"

const token = /[ \t\r\n]*([{}[\]:,]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[^ \t\r\n{}[\]:,"]+)/y

/**
 * Reads one object of strings. Written by hand because `JSON.parse` moves names like "1" to the front, keeps only the last
 * of several equal names and reports no line numbers. A value that is not a string is reported and skipped; reading stops
 * at the first syntax error.
 */
export function parseJson(text: string): Parsed {
  const variables: Variable[] = []
  const faults: Parsed["faults"] = []
  const { next, currentLine, expectEnd } = jsonTokens(text)
  try {
    expectToken(next(), "{", "it is not a JSON object")
    let mark = next()
    if (mark !== "}") {
      for (;;) {
        readMember(mark)
        mark = next()
        if (mark === "}") break
        expectToken(mark, ",", "a comma or closing brace is missing")
        mark = next()
      }
    }
    expectEnd("there is text after the closing brace")
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error
    faults.push({ line: currentLine(), reason: error.message })
  }
  return { variables, faults }

  function readMember(nameToken: string): void {
    const name = stringOf(nameToken)
    if (name === undefined) throw new BrokenJson("a name in double quotes is missing")
    expectToken(next(), ":", "a colon is missing")
    const first = next()
    const value = stringOf(first)
    if (value !== undefined) variables.push({ name, value })
    else {
      faults.push({ line: currentLine(), reason: `the value of ${name} is not a string` })
      skipValue(first)
    }
  }

  /** Skips a number or a word, or a list or an object to its end. */
  function skipValue(first: string): void {
    if ("]}:,".includes(first)) throw new BrokenJson("a value is missing")
    for (let depth = "[{".includes(first) ? 1 : 0; depth > 0; ) {
      const inner = next()
      if ("[{".includes(inner)) depth++
      else if ("]}".includes(inner)) depth--
    }
  }
}

/** Splits JSON into tokens, which are checked by the caller. All functions throw `BrokenJson`. */
export function jsonTokens(text: string) {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text
  const scan = new RegExp(token)
  let tokenStart = 0
  let countedTo = 0
  let lines = 1
  return { next, currentLine, expectEnd }

  function next(): string {
    const from = scan.lastIndex
    const found = scan.exec(source)
    if (found?.[1] === undefined) {
      tokenStart = from
      scan.lastIndex = from
      const rest = source.slice(from).trimStart()
      throw new BrokenJson(rest === "" ? "it ends too early" : "a string has no closing quote")
    }
    tokenStart = scan.lastIndex - found[1].length
    return found[1]
  }

  /** Counts on from the last call: counting from the start each time would take seconds for ten thousand faults. */
  function currentLine(): number {
    for (; countedTo < tokenStart; countedTo++) if (source[countedTo] === "\n") lines++
    return lines
  }

  function expectEnd(reason: string): void {
    if (source.slice(scan.lastIndex).trim() !== "") throw new BrokenJson(reason)
  }
}

export class BrokenJson extends Error {}

export function expectToken(found: string, wanted: string, reason: string): void {
  if (found !== wanted) throw new BrokenJson(reason)
}

/** The text of a string token; undefined for any other token. */
export function stringOf(token: string): string | undefined {
  if (!token.startsWith('"')) return undefined
  try {
    return JSON.parse(token)
  } catch {
    throw new BrokenJson("a string has a character that must be escaped")
  }
}
