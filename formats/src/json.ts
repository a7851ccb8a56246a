import type { Parsed, Variable } from "./variable.ts"

/** A plain object, written by hand so that `__proto__` is a name like any other and the order is kept. */
export function printJson(variables: Variable[]): string {
  const members = variables.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${members.join(",")}}`
}

const token = /[ \t\r\n]*([{}[\]:,]|"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[^ \t\r\n{}[\]:,"]+)/y

/**
 * Reads one object of strings, by hand because `JSON.parse` moves names like "1" to the front, drops all but the last of
 * equal names and tells no lines. A value that is no string is named; after broken JSON nothing more is read.
 */
export function parseJson(text: string): Parsed {
  const variables: Variable[] = []
  const faults: Parsed["faults"] = []
  const source = text.startsWith("\ufeff") ? text.slice(1) : text
  const scan = new RegExp(token)
  let start = 0
  let counted = 0
  let lines = 1
  try {
    expect(next(), "{", "it is no JSON object")
    let mark = next()
    if (mark !== "}") {
      for (;;) {
        readMember(mark)
        mark = next()
        if (mark === "}") break
        expect(mark, ",", "a comma or closing brace is missing")
        mark = next()
      }
    }
    if (source.slice(scan.lastIndex).trim() !== "") throw new BrokenJson("something follows the closing brace")
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error
    faults.push({ line: line(), reason: error.message })
  }
  return { variables, faults }

  function readMember(nameToken: string): void {
    const name = string(nameToken)
    if (name === undefined) throw new BrokenJson("a name in double quotes is missing")
    expect(next(), ":", "a colon is missing")
    const first = next()
    const value = string(first)
    if (value !== undefined) variables.push({ name, value })
    else {
      faults.push({ line: line(), reason: `the value of ${name} is no string` })
      skipValue(first)
    }
  }

  /** Everything that is no string: a number or word, or a list or object to its end. */
  function skipValue(first: string): void {
    if ("]}:,".includes(first)) throw new BrokenJson("a value is missing")
    for (let depth = "[{".includes(first) ? 1 : 0; depth > 0; ) {
      const inner = next()
      if ("[{".includes(inner)) depth++
      else if ("]}".includes(inner)) depth--
    }
  }

  function next(): string {
    const from = scan.lastIndex
    const found = scan.exec(source)
    if (found?.[1] === undefined) {
      start = from
      scan.lastIndex = from
      const rest = source.slice(from).trimStart()
      throw new BrokenJson(rest === "" ? "it ends too early" : "a string has no closing quote")
    }
    start = scan.lastIndex - found[1].length
    return found[1]
  }

  /** Counted on from the last time: from the beginning, ten thousand faults would take seconds. */
  function line(): number {
    for (; counted < start; counted++) if (source[counted] === "\n") lines++
    return lines
  }
}

class BrokenJson extends Error {}

function expect(found: string, wanted: string, reason: string): void {
  if (found !== wanted) throw new BrokenJson(reason)
}

/** The text of a string token; nothing for any other token. */
function string(token: string): string | undefined {
  if (!token.startsWith('"')) return undefined
  try {
    return JSON.parse(token)
  } catch {
    throw new BrokenJson("a string has a character that must be escaped")
  }
}
