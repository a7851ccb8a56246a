import {
  type AccountSort,
  type AccountSummary,
  type accounts,
  type InputOf,
  limits,
  type OutputOf,
  sentences,
} from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import { foldCase } from "../../access/email-key.ts"
import { pagesFrom } from "../../bounds/batches.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { conflict, notFound } from "../../errors.ts"
import { createFactorLink } from "../second-factors/links.ts"
import { usersWithFactor } from "../second-factors/rules.ts"
import { disableAccount, enableAccount, endSessionsOf, setAdmin } from "../users/administration.ts"
import { createReset } from "../users/resets/rules.ts"
import * as store from "./store.ts"

type Listing = InputOf<typeof accounts.list>

export async function list(
  { db }: Core,
  { search = "", show = "everyone", sort = "username", order = "asc", page = 1 }: Listing,
): Promise<OutputOf<typeof accounts.list>> {
  const offset = (page - 1) * limits.accountsPerPage
  if (search === "" && show === "everyone" && isIndexed(sort)) {
    const rows = await store.accountsInOrder(db, sort, { order, offset, maxRows: limits.accountsPerPage })
    return { users: await summariesOf(db, rows), total: await store.countAccounts(db) }
  }
  const sign = order === "asc" ? 1 : -1
  const { first, total } = await matching(db, {
    filter: { search: foldCase(search), show },
    sort,
    order: (one, other) => sign * (compare(one.key, other.key) || one.account.id - other.account.id),
    count: offset + limits.accountsPerPage,
  })
  const shown = first.slice(offset).map(({ account }) => account)
  return { users: await summariesOf(db, shown), total }
}

function isIndexed(sort: AccountSort): sort is store.IndexedSort {
  return sort === "username" || sort === "email" || sort === "lastSignIn"
}

interface Found {
  account: store.AccountRow
  key: string | number
}

interface Wanted {
  filter: store.Filter
  sort: AccountSort
  order: (one: Found, other: Found) => number
  count: number
}

/**
 * The first so many of the accounts that match, and how many do. A search looks at every account: it finds a part of a
 * name, in any case and alphabet, which no index does.
 */
async function matching(
  db: Reader,
  { filter, sort, order, count }: Wanted,
): Promise<{ first: Found[]; total: number }> {
  let first: Found[] = []
  let total = 0
  const { search } = filter
  const needsOwned = sort === "collections" || sort === "items"
  for await (const rows of allAccounts(db, filter)) {
    const some = rows.filter(
      ({ username, email, emailKey }) =>
        emailKey.includes(search) || foldCase(email).includes(search) || foldCase(username).includes(search),
    )
    total += some.length
    const owning = needsOwned ? await withOwned(db, some) : some.map((row) => ({ ...row, collections: 0, items: 0 }))
    for (const account of owning) first.push({ account, key: sortKeys[sort](account) })
    // Now and then: to sort all at once would stop the thread.
    if (first.length >= count + maxUnsorted) first = first.sort(order).slice(0, count)
  }
  return { first: first.sort(order).slice(0, count), total }
}

const maxUnsorted = 5_000

const accountsPerBatch = 1_000
/** The engine looks at so many in one statement, and returns the few that match. */
const idsPerBatch = 10_000

/** Every account that may match, some at a time. */
export async function* allAccounts(
  db: Reader,
  filter: store.Filter = { search: "", show: "everyone" },
): AsyncGenerator<store.AccountRow[]> {
  const lastId = await store.lastAccountId(db)
  const pages = pagesFrom(0, async (after) => {
    const last = after + idsPerBatch
    const rows = await store.accountsBetween(db, { after, last, maxRows: accountsPerBatch }, filter)
    const end = rows.length < accountsPerBatch ? last : (rows.at(-1)?.id ?? last)
    return { rows, next: end < lastId ? end : null }
  })
  for await (const { rows } of pages) yield rows
}

export type OwningAccount = store.AccountRow & Pick<store.OwnedRow, "collections" | "items">

export async function withOwned(db: Reader, rows: readonly store.AccountRow[]): Promise<OwningAccount[]> {
  if (rows.length === 0) return []
  const owned = await store.ownedBy(
    db,
    rows.map(({ id }) => id),
  )
  const byOwner = new Map(owned.map((one) => [one.ownerId, one]))
  return rows.map((row) => {
    const { collections = 0, items = 0 } = byOwner.get(row.id) ?? {}
    return { ...row, collections, items }
  })
}

const sortKeys: Record<AccountSort, (account: OwningAccount) => string | number> = {
  username: ({ username }) => username.toLowerCase(),
  email: ({ emailKey }) => emailKey,
  lastSignIn: ({ lastSignInAt }) => lastSignInAt ?? 0,
  collections: ({ collections }) => collections,
  items: ({ items }) => items,
  bytes: ({ storedBytes }) => storedBytes,
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}

async function summariesOf(db: Reader, rows: readonly store.AccountRow[]): Promise<AccountSummary[]> {
  const withFactor = await usersWithFactor(
    db,
    rows.map(({ id }) => id),
  )
  return (await withOwned(db, rows)).map((account) => summaryOf(account, withFactor.has(account.id)))
}

function summaryOf(
  { id, username, email, collections, items, ...row }: OwningAccount,
  hasSecondFactor: boolean,
): AccountSummary {
  return {
    id,
    username,
    email,
    isAdmin: row.isAdmin === 1,
    isDisabled: row.disabledAt !== null,
    hasSecondFactor,
    createdAt: new Date(row.createdAt).toISOString(),
    lastSignInAt: row.lastSignInAt === null ? null : new Date(row.lastSignInAt).toISOString(),
    collections,
    items,
    bytes: Math.max(0, row.storedBytes),
  }
}

/** Not the caller's own account: that would be by mistake, and the caller could not undo it. */
export async function disable(core: Core, caller: UserCaller, id: number): Promise<void> {
  if (id === caller.userId) throw conflict(sentences.ownAccount)
  expectChanged(await disableAccount(core, caller, id))
}

export async function enable(core: Core, caller: UserCaller, id: number): Promise<void> {
  expectChanged(await enableAccount(core, caller, id))
}

export async function endSessions(core: Core, caller: UserCaller, id: number): Promise<void> {
  expectChanged(await endSessionsOf(core, caller, id))
}

export async function createResetLink(
  core: Core,
  caller: UserCaller,
  id: number,
): Promise<OutputOf<typeof accounts.createResetLink>> {
  const { token, expiresAt } = await createReset(core, caller, id)
  return { token, expiresAt: new Date(expiresAt).toISOString() }
}

export async function createLostFactorLink(
  core: Core,
  caller: UserCaller,
  id: number,
): Promise<OutputOf<typeof accounts.createFactorLink>> {
  const { token, expiresAt } = await createFactorLink(core, caller, id)
  return { token, expiresAt: new Date(expiresAt).toISOString() }
}

export async function changeAdmin(core: Core, caller: UserCaller, id: number, isAdmin: boolean): Promise<void> {
  expectChanged(await setAdmin(core, caller, id, isAdmin))
}

/** What was so before is fine too: two administrators may do the same at the same time. */
function expectChanged(outcome: string): void {
  if (outcome === "gone") throw notFound("User")
  if (outcome === "last administrator") throw conflict(sentences.lastAdministrator)
}
