import type { Variable } from "@envkeep/formats"
import { api } from "./api.ts"
import type { Snapshot } from "./cache.ts"
import { CommandError } from "./messages.ts"
import type { Target } from "./target.ts"

/** An environment as a login sees it. */
export interface Environment {
  revision: number
  /** Whether the login sees names only. */
  valuesHidden: boolean
  items: Item[]
  inherited: { name: string; value: string | null }[]
}

export interface Item {
  id: number
  name: string
  /** Null if it is hidden or damaged. */
  value: string | null
  revision: number
}

export async function readEnvironment(target: Target): Promise<Environment> {
  const path = `/subcollection/${target.environment.id}`
  const read = await api<Omit<Environment, "items"> & { collectionItems: Item[] }>(target, { path })
  const { revision, valuesHidden, collectionItems: items, inherited } = read
  return { revision, valuesHidden, items, inherited }
}

/** Everything that a program would get, by name. */
export function allOf({ items, inherited }: Environment): Map<string, string | null> {
  return new Map([...items, ...inherited].map(({ name, value }) => [name, value]))
}

/** The variables now or at a revision, with what was inherited. */
export async function readSnapshot(target: Target, revision: number | undefined): Promise<Snapshot> {
  const rows = await readRows(target, revision)
  const variables = rows.values.filter((row): row is Variable => row.value !== null)
  const damaged = rows.values.filter(({ value }) => value === null).map(({ name }) => name)
  return { variables, damaged, revision: rows.revision, source: "live" }
}

interface Rows {
  revision: number
  /** Null is a damaged value. */
  values: { name: string; value: string | null }[]
}

/** The same with damaged values. Refused if the login sees no values. */
export function readRows(target: Target, revision: number | undefined): Promise<Rows> {
  return revision === undefined ? readCurrent(target) : readPast(target, revision)
}

async function readCurrent(target: Target): Promise<Rows> {
  const environment = await readEnvironment(target)
  if (environment.valuesHidden) throw hidden()
  const values = Array.from(allOf(environment), ([name, value]) => ({ name, value }))
  return { revision: environment.revision, values }
}

interface PastItem {
  name: string
  value: string | null
  state: "set" | "removed" | "erased" | "damaged" | "hidden"
  /** The environment that it was inherited from. */
  inheritedFrom?: number | null
}

interface Past {
  items: PastItem[]
  isInheritedPruned: boolean
}

async function readPast(target: Target, revision: number): Promise<Rows> {
  const { items, isInheritedPruned } = await fetchPast(target, revision)
  if (isInheritedPruned) {
    throw new CommandError(`what revision ${revision} inherited is no longer kept, so it cannot be read`)
  }
  return readable(items, revision)
}

/** What the environment set itself at a revision. That is all that a restore brings back, so the rest may be gone. */
export async function readOwnPast(target: Target, revision: number): Promise<Rows> {
  const { items } = await fetchPast(target, revision)
  return readable(
    items.filter(({ inheritedFrom }) => (inheritedFrom ?? null) === null),
    revision,
  )
}

function fetchPast({ environment, ...session }: Target, revision: number): Promise<Past> {
  return api(session, { path: `/environments/${environment.id}/history/${revision}` })
}

function readable(items: readonly PastItem[], revision: number): Rows {
  if (items.some(({ state }) => state === "hidden")) throw hidden()
  const erased = items.filter(({ state }) => state === "erased").map(({ name }) => JSON.stringify(name))
  if (erased.length > 0) throw new CommandError(`erased, so revision ${revision} cannot be read: ${erased.join(", ")}`)
  return { revision, values: items.filter(({ state }) => state !== "removed") }
}

export function hidden(): CommandError {
  return new CommandError(
    "this login sees the names of this environment, but not its values",
    "it needs a token with the scope read, and a role that may see the values",
  )
}
