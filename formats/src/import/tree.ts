import type { ImportFault } from "./result.ts"

/** JSON and YAML as both are looked at. Numbers and words such as `true` are the text that was written. */
export type Tree = { line: number } & (
  | { kind: "text"; text: string }
  | { kind: "null" }
  /** It cannot be read, and the faults of its text say so already. */
  | { kind: "reported" }
  | { kind: "list"; items: Tree[] }
  | { kind: "map"; members: Member[] }
)

/** Equal names of a map are all kept, in order. */
export interface Member {
  name: string
  line: number
  value: Tree
  description?: string
}

/** The documents of a text, up to the first error of each. */
export interface Documents {
  documents: Tree[]
  faults: ImportFault[]
  /** A sentence, if the text is not looked at any further. */
  refusal?: string
}

/** More than any file of variables has. The limit keeps recursion far from the end of the stack. */
export const maxDepth = 64

export const tooDeep = `This text is nested more than ${maxDepth} levels deep. Files of variables are not`

/** Values, lists and objects. More than any file of variables has, and read in less than a second. */
export const maxParts = 300_000

export const tooManyParts = "This text has too many parts to read here. Import some of it at a time"

/** The last member of that name, which is the one that readers of JSON and YAML take. */
export function member(tree: Tree | undefined, name: string): Tree | undefined {
  return tree?.kind === "map" ? tree.members.findLast((one) => one.name === name)?.value : undefined
}

export function textOf(tree: Tree | undefined): string | undefined {
  return tree?.kind === "text" ? tree.text : undefined
}

export function itemsOf(tree: Tree | undefined): Tree[] {
  return tree?.kind === "list" ? tree.items : []
}

export function membersOf(tree: Tree | undefined): Member[] {
  return tree?.kind === "map" ? tree.members : []
}

export function isMap(tree: Tree | undefined): boolean {
  return tree?.kind === "map"
}
