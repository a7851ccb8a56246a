import { queryOptions, skipToken } from "@tanstack/react-query"
import { keys } from "./state.ts"

/** A collection, an environment or a variable that was opened. */
export interface Opened {
  collectionId: number
  environmentId?: number
  /** Of a variable. */
  name?: string
}

const maxOpened = 8

/** Only in memory, newest first, until the page is reloaded or the session ends. */
export const openedQuery = queryOptions<Opened[]>({
  queryKey: keys.opened,
  queryFn: skipToken,
  gcTime: Number.POSITIVE_INFINITY,
})

export function withNewest(opened: readonly Opened[], newest: Opened): Opened[] {
  return [newest, ...opened.filter((one) => keyOf(one) !== keyOf(newest))].slice(0, maxOpened)
}

export function keyOf({ collectionId, environmentId = 0, name = "" }: Opened): string {
  return `${collectionId} ${environmentId} ${name}`
}

interface Address {
  pathname: string
  search: string
}

/** The collection whose page an address is, or one of its pages. */
export function collectionAt(pathname: string): number | undefined {
  const id = Number(/^\/collection\/(\d+)(\/|$)/.exec(pathname)?.[1])
  return Number.isNaN(id) ? undefined : id
}

/** What was opened with this address, if it came after that one. */
export function openedBy(before: Address | undefined, now: Address): Opened[] {
  const collectionId = collectionAt(now.pathname)
  if (collectionId === undefined) return []
  const isNew = before === undefined || collectionAt(before.pathname) !== collectionId
  const environments = environmentsIn(now)
  const last = environments.at(-1)
  const name = new URLSearchParams(now.search).get("item") ?? undefined
  if (last !== undefined && name !== undefined) return [{ collectionId, environmentId: last, name }]
  const known = isNew ? [] : environmentsIn(before)
  const opened = environments.filter((id) => !known.includes(id))
  // One that was open already is the last now because it was chosen, and not because a later one was closed.
  if (opened.length === 0 && last !== undefined && last !== known.at(-1) && environments.length === known.length) {
    opened.push(last)
  }
  return [...(isNew ? [{ collectionId }] : []), ...opened.map((environmentId) => ({ collectionId, environmentId }))]
}

function environmentsIn({ search }: Address): number[] {
  return new URLSearchParams(search).getAll("env").map(Number)
}
