import { type Rank, ranks } from "./match.ts"

/** What a list of results is sorted by, from the first field on. No two results of a list have the same. */
export interface SortKey {
  /** Not in the collection that comes first. */
  isElsewhere: boolean
  rank: Rank
  folded: string
  /** What matches equally well and has the same name is sorted as it was added. */
  collectionId: number
  environmentId: number
  /** Upper and lower case. */
  name: string
}

export function compareKeys(one: SortKey, other: SortKey): number {
  return (
    Number(one.isElsewhere) - Number(other.isElsewhere) ||
    one.rank - other.rank ||
    compareText(one.folded, other.folded) ||
    one.collectionId - other.collectionId ||
    one.environmentId - other.environmentId ||
    compareText(one.name, other.name)
  )
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

export const kinds = ["collections", "environments", "variables"] as const
export type Kind = (typeof kinds)[number]

/** Where a list goes on: after the result with this key. */
export interface Cursor {
  kind: Kind
  key: SortKey
}

export function printCursor({ kind, key }: Cursor): string {
  const { isElsewhere, rank, folded, collectionId, environmentId, name } = key
  return JSON.stringify([kind, isElsewhere, rank, folded, collectionId, environmentId, name])
}

/** Undefined for anything that `printCursor` does not print. A caller can only continue a list of their own with it. */
export function readCursor(text: string): Cursor | undefined {
  const [kind, isElsewhere, rank, folded, collectionId, environmentId, name] = listIn(text)
  const isCursor =
    isOneOf(kinds, kind) &&
    typeof isElsewhere === "boolean" &&
    isOneOf(Object.values(ranks), rank) &&
    typeof folded === "string" &&
    typeof collectionId === "number" &&
    typeof environmentId === "number" &&
    typeof name === "string"
  return isCursor ? { kind, key: { isElsewhere, rank, folded, collectionId, environmentId, name } } : undefined
}

function listIn(text: string): unknown[] {
  try {
    const parsed: unknown = JSON.parse(text)
    return Array.isArray(parsed) ? parsed : []
  } catch {
    return []
  }
}

function isOneOf<One>(all: readonly One[], value: unknown): value is One {
  return (all as readonly unknown[]).includes(value)
}
