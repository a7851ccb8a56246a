import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseAllDocuments,
  type YAMLMap,
} from "yaml"
import type { ImportFault } from "./result.ts"
import { type Documents, type Member, maxDepth, type Tree, textOf, tooDeep } from "./tree.ts"

/** A Secret of Kubernetes holds 1 MiB, in base64 a third more. Beyond this, YAML takes too long to read. */
const maxCharacters = 1_500_000
/** Ten thousand names, each with a comment, have 110,000. The time that a text takes grows with them. */
const maxTokens = 120_000
/** What aliases stand for counts each time. */
const maxExpandedNodes = 200_000

/** The parser makes an error for each, which takes longer than reading. */
const maxInvalidEscapes = 1_000

const notYaml = "This is not valid YAML. More than 1,000 escapes in double quotes are invalid"
const tooLong = "This YAML is too long to read here. Import a part of it, or a .env or JSON file"
const tooManyAliases = "The anchors and aliases in this YAML expand to too much. Write out the values that you need"

/** A tree, and how many nodes it has if every alias is written out. */
interface Grown {
  tree: Tree
  nodes: number
}

/**
 * Reads all documents. Aliases become the same object as their anchor, so that they cannot expand in memory, and `<<` is
 * written out. A document with an error is left out, because what comes after it could be read as something else.
 */
export function parseYamlTree(text: string): Documents {
  const refusal = refusalOf(text)
  if (refusal !== undefined) return { documents: [], faults: [], refusal }
  const lines = new LineCounter()
  const lineAt = (offset: number | undefined) => lines.linePos(offset ?? 0).line
  const found: Documents = { documents: [], faults: [] }
  const parsed = parseAllDocuments(text, {
    // Every value is the text that was written: 1.10 stays 1.10, and `on` stays `on`.
    schema: "failsafe",
    // It would compare every name with every other one, and we keep all of them.
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "silent",
    lineCounter: lines,
  })
  if (!Array.isArray(parsed)) return found
  for (const document of parsed) {
    const [error] = document.errors
    if (document.errors.some(({ code }) => code === "RESOURCE_EXHAUSTION")) return { ...found, refusal: tooDeep }
    if (error !== undefined) found.faults.push({ line: lineAt(error.pos[0]), reason: reasonOf(error.code) })
    else if (document.contents !== null) {
      const tree = treeOf(document, found.faults, lineAt)
      if (typeof tree === "string") return { documents: [], faults: [], refusal: tree }
      found.documents.push(tree)
    }
  }
  return found
}

/** Looks at the tokens alone, which is quick, so that a text made to keep the parser busy never gets to it. */
function refusalOf(text: string): string | undefined {
  if (text.length > maxCharacters) return tooLong
  let tokens = 0
  let depth = 0
  for (const token of new Lexer().lex(text)) {
    if (token === "[" || token === "{") depth++
    else if (token === "]" || token === "}") depth--
    if (depth > maxDepth) return tooDeep
    if (token.startsWith('"') && countInvalidEscapes(token) > maxInvalidEscapes) return notYaml
    if (++tokens > maxTokens) return tooLong
  }
  return undefined
}

function countInvalidEscapes(quoted: string): number {
  return quoted.replace(/\\[0abefnrtvxuUNLP_ "/\\\s]/g, "").split("\\").length - 1
}

/** Tags that say what a text is, and `!`, which says that it is text. All others stand for something else. */
const coreTag = /^(?:!|tag:yaml\.org,2002:(?:str|int|float|bool|null|map|seq|merge))$/
const brokenAlias = "an alias in it stands for something that cannot be read"

function tagReason(tag: string): string {
  if (/^!vault(?:-encrypted)?$/.test(tag)) return "it was encrypted by Ansible Vault. Decrypt it, and import the result"
  return `it has the tag ${tag.replace("tag:yaml.org,2002:", "!!")}, whose meaning only the program knows that it was written for`
}

class Refusal extends Error {}

/** The tree, or why the whole text is refused. */
function treeOf(
  document: Document.Parsed,
  faults: ImportFault[],
  lineAt: (offset: number | undefined) => number,
): Tree | string {
  const anchors = new Map<string, Grown>()
  let mergedMembers = 0
  try {
    return grow(document.contents, 0).tree
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }

  function grow(node: unknown, depth: number): Grown {
    if (depth > maxDepth) throw new Refusal(tooDeep)
    if (isAlias(node)) return growAlias(node.source, lineAt(node.range?.[0]))
    const grown = isMap(node) ? growMap(node, depth) : isSeq(node) ? growList(node, depth) : leaf(node)
    if (grown.nodes > maxExpandedNodes) throw new Refusal(tooManyAliases)
    const { anchor, tag } = isMap(node) || isSeq(node) || isScalar(node) ? node : {}
    const known = tag === undefined || coreTag.test(tag) ? grown : reported(grown, tagReason(tag))
    if (anchor !== undefined) anchors.set(anchor, known)
    return known
  }

  function growAlias(anchor: string, line: number): Grown {
    const grown = anchors.get(anchor) ?? { tree: { kind: "null", line }, nodes: 1 }
    return grown.tree.kind === "reported"
      ? reported({ ...grown, tree: { kind: "reported", line } }, brokenAlias)
      : grown
  }

  function reported({ tree, nodes }: Grown, reason: string): Grown {
    faults.push({ line: tree.line, reason })
    return { tree: { kind: "reported", line: tree.line }, nodes }
  }

  function leaf(node: unknown): Grown {
    if (!isScalar(node)) return { tree: { kind: "null", line: 1 }, nodes: 1 }
    const line = lineAt(node.range?.[0])
    const text = typeof node.value === "string" ? node.value : (node.source ?? "")
    const isNull = node.type === "PLAIN" && node.tag === undefined && /^(?:|~|null|Null|NULL)$/.test(text)
    return { tree: isNull ? { kind: "null", line } : { kind: "text", line, text }, nodes: 1 }
  }

  function growList(node: { items: unknown[]; range?: [number, number, number] | null }, depth: number): Grown {
    const items = node.items.map((item) => grow(item, depth + 1))
    return {
      tree: { kind: "list", line: lineAt(node.range?.[0]), items: items.map(({ tree }) => tree) },
      nodes: items.reduce((sum, { nodes }) => sum + nodes, 1),
    }
  }

  function growMap(node: YAMLMap, depth: number): Grown {
    const members: Member[] = []
    let merged: Member[] = []
    let nodes = 1
    for (const { key, value } of node.items) {
      const grown = grow(value, depth + 1)
      nodes += grown.nodes
      const { tree: nameTree } = grow(key, depth + 1)
      // A name is the text that was written, also if that is `null`.
      const name = nameTree.kind === "null" && isScalar(key) ? key.source : textOf(nameTree)
      if (name === undefined || (name === "" && nameTree.kind === "null")) {
        if (nameTree.kind !== "reported") faults.push({ line: nameTree.line, reason: "its name is not text" })
        continue
      }
      if (name === "<<") merged = merged.concat(mergedFrom(grown.tree))
      else
        members.push({
          name,
          line: nameTree.line,
          value: grown.tree,
          ...describedBy(key, members.length === 0 ? node : undefined),
        })
    }
    const own = new Set(members.map(({ name }) => name))
    // What the map says itself counts, and of several merged maps the first.
    for (const one of merged) {
      if (own.has(one.name)) continue
      own.add(one.name)
      members.push(one)
    }
    return { tree: { kind: "map", line: lineAt(node.range?.[0]), members }, nodes }
  }

  function mergedFrom(tree: Tree): Member[] {
    const members = (tree.kind === "list" ? tree.items : [tree]).flatMap((one) =>
      one.kind === "map" ? one.members : [],
    )
    mergedMembers += members.length
    if (mergedMembers > maxExpandedNodes) throw new Refusal(tooManyAliases)
    return members
  }
}

/** The comment above a name. The library gives the one above the first name to the map. */
function describedBy(key: unknown, map: YAMLMap | undefined): { description?: string } {
  const comment = (isScalar(key) ? key.commentBefore : undefined) ?? map?.commentBefore
  const description = comment
    ?.split("\n\n")
    .at(-1)
    ?.split("\n")
    .map((line) => line.trim())
    .join("\n")
    .trim()
  return description === undefined || description === "" ? {} : { description }
}

function reasonOf(code: string): string {
  if (code === "TAB_AS_INDENT") return "it is indented with a tab, which YAML does not allow"
  if (code === "BAD_INDENT") return "its indentation does not fit the lines above"
  if (code === "MISSING_CHAR") return "a quote, bracket or colon is missing"
  if (code === "BAD_ALIAS") return "an alias in it has no anchor"
  if (code === "MULTILINE_IMPLICIT_KEY" || code === "BLOCK_AS_IMPLICIT_KEY") return "a name or value in it needs quotes"
  return "it is not valid YAML"
}
