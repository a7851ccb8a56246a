import { BrokenJson, expectToken, jsonTokens, stringOf } from "../parse-json.ts"
import { type Documents, type Member, maxDepth, maxParts, type Tree, tooDeep, tooManyParts } from "./tree.ts"

const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

class Refusal extends Error {}

/** Reads JSON up to its first error, with line numbers, in order and with all of several equal names. */
export function parseJsonTree(text: string): Documents {
  const { next, currentLine, expectEnd } = jsonTokens(text)
  const documents: Tree[] = []
  let parts = 0
  try {
    read(next(), (tree) => documents.push(tree), 0)
    expectEnd("there is text after the end of the JSON")
  } catch (error) {
    if (error instanceof Refusal) return { documents: [], faults: [], refusal: error.message }
    if (!(error instanceof BrokenJson)) throw error
    return { documents, faults: [{ line: currentLine(), reason: error.message }] }
  }
  return { documents, faults: [] }

  /** Adds a list or an object before it is filled, so that what was read up to an error is kept. */
  function read(first: string, add: (tree: Tree) => void, depth: number): void {
    const line = currentLine()
    if (depth > maxDepth) throw new Refusal(tooDeep)
    if (++parts > maxParts) throw new Refusal(tooManyParts)
    if (first === "{") {
      const members: Member[] = []
      add({ kind: "map", line, members })
      readMembers(members, depth)
    } else if (first === "[") {
      const items: Tree[] = []
      add({ kind: "list", line, items })
      readItems(items, depth)
    } else add(scalar(first, line))
  }

  function readMembers(members: Member[], depth: number): void {
    for (let mark = next(); mark !== "}" || members.length > 0; mark = next()) {
      const name = stringOf(mark)
      if (name === undefined) throw new BrokenJson("a name in double quotes is missing")
      const line = currentLine()
      expectToken(next(), ":", "a colon is missing")
      read(next(), (value) => members.push({ name, line, value }), depth + 1)
      const end = next()
      if (end === "}") return
      expectToken(end, ",", "a comma or closing brace is missing")
    }
  }

  function readItems(items: Tree[], depth: number): void {
    for (let mark = next(); mark !== "]" || items.length > 0; mark = next()) {
      read(mark, (item) => items.push(item), depth + 1)
      const end = next()
      if (end === "]") return
      expectToken(end, ",", "a comma or closing bracket is missing")
    }
  }
}

function scalar(token: string, line: number): Tree {
  const text = stringOf(token)
  if (text !== undefined) return { kind: "text", line, text }
  if (token === "null") return { kind: "null", line }
  if (token === "true" || token === "false" || number.test(token)) return { kind: "text", line, text: token }
  throw new BrokenJson("]}:,".includes(token) ? "a value is missing" : "a value has no quotes")
}
