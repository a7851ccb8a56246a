import type { Collection, CollectionSummary, collections, InputOf } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Db } from "../../db/schema.ts"
import { announceChange, inSnapshot, inTransaction } from "../../db/transaction.ts"
import { notFound } from "../../errors.ts"
import type { Vault } from "../../keys/secrets.ts"
import { summariesByCollection, wholeEnvironments } from "../environments/rules.ts"
import * as store from "./store.ts"

export function listCollections(db: Db, caller: UserCaller): Promise<CollectionSummary[]> {
  return inSnapshot(db, async (tx) => {
    const rows = await store.collectionRows(tx, caller.userId)
    const environments = await summariesByCollection(tx, caller)
    return rows.map((row) => ({ ...row, subCollections: environments.get(row.id) ?? [] }))
  })
}

export function getCollection(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  { id }: InputOf<typeof collections.get>,
): Promise<Collection> {
  return inSnapshot(db, async (tx) => {
    const row = await store.collectionRow(tx, caller.userId, id)
    if (row === undefined) throw notFound("Collection")
    return { ...row, subCollections: await wholeEnvironments(tx, vault, caller, { collectionId: id }) }
  })
}

export function createCollection(
  db: Db,
  vault: Vault,
  caller: UserCaller,
  input: InputOf<typeof collections.create>,
): Promise<CollectionSummary> {
  return inTransaction(db, async (tx) => {
    const row = await store.insertCollection(tx, caller.userId, input)
    await store.setDataKey(tx, caller.userId, row.id, await vault.newDataKey(tx, row.id))
    return { ...row, subCollections: [] }
  })
}

export function updateCollection(
  db: Db,
  caller: UserCaller,
  input: InputOf<typeof collections.update>,
): Promise<CollectionSummary> {
  return inTransaction(db, async (tx) => {
    const row = await store.updateCollection(tx, caller.userId, input)
    if (row === undefined) throw notFound("Collection")
    const environments = await summariesByCollection(tx, caller, row.id)
    return { ...row, subCollections: environments.get(row.id) ?? [] }
  })
}

export function deleteCollection(
  db: Db,
  caller: UserCaller,
  { id }: InputOf<typeof collections.remove>,
): Promise<null> {
  return inTransaction(db, async (tx) => {
    await store.lockEnvironmentsOf(tx, caller.userId, id)
    if ((await store.deleteCollection(tx, caller.userId, id)) === undefined) throw notFound("Collection")
    announceChange(tx, { collectionId: id, ends: true })
    return null
  })
}
