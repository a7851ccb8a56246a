import { hash } from "node:crypto"
import { ApiKey, Environment, halfTagLength, itemsTag, type Level, readHeldTags } from "@envkeep/contract"

// A tag says, without a value, what an answer shows of an environment. Its first half stands for the items: each change of
// theirs raises the revision, and the time of that tells states apart even if the store was replaced by a copy of its
// files, after which the numbers repeat. Its second half stands for everything else.

type Tagged = Omit<Environment, "collectionItems"> & { changedAt: number | null }

const otherFields = Object.keys(Environment.shape).filter(
  (field): field is Exclude<keyof Environment, "collectionItems" | "apiKeys"> =>
    field !== "collectionItems" && field !== "apiKeys",
)
/** Not the key itself: it never changes, and would be opened. */
const keyFields = Object.keys(ApiKey.shape).filter((field) => field !== "key")

/** With the caller's role: what a tab holds from another role never counts as the same. */
export function tagOf(environment: Tagged, role: Level): string {
  const others = otherFields.map((field) => environment[field])
  return itemsTagOf(environment, role) + half([others, JSON.stringify(environment.apiKeys, keyFields)])
}

type ItemsState = Pick<Tagged, "id" | "revision" | "changedAt" | "valuesHidden">

export function itemsTagOf({ id, revision, changedAt, valuesHidden }: ItemsState, role: Level): string {
  return half([id, revision, changedAt, valuesHidden, role])
}

/** 66 bits: none is met by chance, and those of many environments fit into a header. */
function half(shown: unknown[]): string {
  return hash("sha256", JSON.stringify(shown), "base64url").slice(0, halfTagLength)
}

/** What a caller says that it holds. To make a tag up is of no use: without any, the same caller gets everything. */
export interface Holding {
  has(tag: string): boolean
  hasItems(tag: string): boolean
}

export function holdingOf(header = ""): Holding {
  const tags = new Set(readHeldTags(header))
  const items = new Set(Array.from(tags, itemsTag))
  return { has: (tag) => tags.has(tag), hasItems: (tag) => items.has(itemsTag(tag)) }
}
