import { type CreatedToken, type InputOf, limits, sentences, type Token, type tokens } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Core, Door, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { dayMs } from "../../durations.ts"
import { invalid, notFound, unlessTaken } from "../../errors.ts"
import { hashToken, newPersonalToken } from "../../keys/token.ts"
import type { TokenUses } from "./last-used.ts"
import * as store from "./store.ts"

export function listTokens(core: Core, caller: UserCaller): Promise<Token[]> {
  return core.snapshot(async (snapshot) => {
    const rows = await store.tokensOf(snapshot, caller.userId)
    const collections = Map.groupBy(await store.listedCollections(snapshot, caller.userId), (one) => one.tokenId)
    return rows.map((row) => toToken(row, collections.get(row.id) ?? []))
  })
}

type NewToken = InputOf<typeof tokens.create>

export function createToken(core: Core, caller: UserCaller, input: NewToken): Promise<CreatedToken> {
  return unlessTaken(sentences.tokenNameTaken, () =>
    core.change(caller, "token.create", (tx, notes) => makeToken(tx, notes, caller.userId, input)),
  )
}

/** Makes a token as part of a change. */
export async function makeToken(
  tx: Tx,
  notes: Notes,
  userId: number,
  { name, scope, days, collectionIds }: NewToken,
): Promise<CreatedToken> {
  await store.lockUser(tx, userId)
  await refuseTooManyTokens(tx, userId)
  const token = newPersonalToken()
  const now = Date.now()
  const row = await store.insertToken(tx, userId, {
    name,
    tokenHash: hashToken(token),
    scope,
    isLimited: collectionIds !== undefined,
    now,
    expiresAt: days === undefined ? null : now + days * dayMs,
  })
  const wanted = new Set(collectionIds)
  const listed = await store.limitTo(tx, { userId, tokenId: row.id }, [...wanted])
  if (listed < wanted.size) throw notFound("Collection")
  notes.about({ userId, tokenName: name })
  const collections = await store.listedCollections(tx, userId, row.id)
  return { ...toToken(row, collections), token }
}

export async function refuseTooManyTokens(tx: Tx, userId: number): Promise<void> {
  if ((await store.countTokens(tx, userId)) >= limits.tokensPerAccount) throw invalid(sentences.tooManyTokens)
}

/** The name, with a number if the user has a token of that name already. */
export async function freeTokenName(tx: Tx, userId: number, name: string): Promise<string> {
  await store.lockUser(tx, userId)
  const taken = new Set((await store.tokensOf(tx, userId)).map((token) => token.name))
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free
    free = `${name} (${number})`
  }
}

export function revokeToken(core: Core, caller: UserCaller, { id }: InputOf<typeof tokens.revoke>): Promise<null> {
  return core.change(caller, "token.revoke", async (tx, notes) => {
    const row = await store.deleteToken(tx, caller.userId, id)
    if (row === undefined) throw notFound("Token")
    notes.about({ userId: caller.userId, tokenName: row.name })
    return null
  })
}

type Identified = Omit<UserCaller, "kind" | "address" | "device" | "client">
type Identify = (token: string, used: Pick<UserCaller, "address" | "client">) => Promise<Identified | undefined>

/** Checked on every request, so that revoking a token takes effect immediately on every node. */
export function identifyByTokenIn({ db }: Door, uses: TokenUses): Identify {
  return async (token, used) => {
    const row = await store.tokenByHash(db, hashToken(token))
    if (row === undefined || !isUsable(row, Date.now())) return undefined
    const { id, userId, username, name, scope, isLimited, isAdmin } = row
    uses.note(id, used)
    const grant = { id, name, scope, isLimited: isLimited === 1 }
    const session = { sessionId: undefined, confirmedAt: 0, lacksFactor: false }
    return { userId, username, isAdmin: isAdmin === 1, ...session, token: grant }
  }
}

/** For what lasts longer than a request: of these tokens, those that are still valid. */
export function liveTokensIn({ db }: Door): (ids: readonly number[]) => Promise<ReadonlySet<number>> {
  return async (ids) => {
    const now = Date.now()
    const rows = await store.tokensById(db, ids)
    return new Set(rows.filter((row) => isUsable(row, now)).map((row) => row.id))
  }
}

function isUsable({ expiresAt, disabledAt }: store.TokenState, now: number): boolean {
  return disabledAt === null && !isPast(expiresAt, now)
}

function isPast(expiresAt: number | null, now: number): boolean {
  return expiresAt !== null && expiresAt <= now
}

function toToken(row: store.TokenRow, collections: readonly store.ListedCollection[]): Token {
  const { id, name, scope, isLimited, createdAt, expiresAt, lastUsedAt, lastUsedBy, lastUsedFrom } = row
  return {
    id,
    name,
    scope,
    collections: isLimited === 1 ? collections.map((one) => ({ id: one.id, name: one.name })) : null,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
    isExpired: isPast(expiresAt, Date.now()),
    lastUse:
      lastUsedAt === null
        ? null
        : { at: new Date(lastUsedAt).toISOString(), by: lastUsedBy ?? "", from: lastUsedFrom ?? "" },
  }
}
