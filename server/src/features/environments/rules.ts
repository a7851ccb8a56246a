import {
  type Environment,
  type EnvironmentSummary,
  type environments,
  type InputOf,
  limits,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { ownerOf } from "../../access/reach.ts"
import { byParents } from "../../bounds/batches.ts"
import type { Core } from "../../db/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { invalid, notFound, unlessTaken } from "../../errors.ts"
import type { Vault } from "../../keys/secrets.ts"
import { apiKeysOf } from "./api-keys/rules.ts"
import { refuseIfRenamed } from "./conflicts.ts"
import { addRevision } from "./history/record.ts"
import { itemsOf } from "./items/rules.ts"
import { inTurn } from "./lock.ts"
import type { HoldBytes, Scope } from "./scope.ts"
import * as store from "./store.ts"

export function createEnvironment(
  core: Core,
  caller: Member,
  input: InputOf<typeof environments.create>,
): Promise<Environment> {
  return unlessTaken(sentences.environmentNameTaken, () =>
    core.change(caller, "environment.create", async (tx, notes) => {
      await refuseAnotherEnvironment(tx, caller, { ...input, sealedBytes: 0 })
      const row = await store.insertEnvironment(tx, caller, input)
      if (row === undefined) throw notFound("Collection")
      const maker = { caller, action: "environment.create" } as const
      await addRevision(tx, maker, { environmentId: row.id, number: row.revision })
      notes.about({ collectionId: row.collectionId, environmentId: row.id })
      notes.grow(ownerOf(caller), { rows: 1, sealedBytes: 0 })
      notes.invalidate({ collectionId: row.collectionId, forScreens: true })
      return { ...row, collectionItems: [], apiKeys: [] }
    }),
  )
}

/** For an environment that is about to be added to its collection, with what it holds. */
export async function refuseAnotherEnvironment(
  tx: Tx,
  caller: Member,
  { collectionId, sealedBytes }: { collectionId: number; sealedBytes: number },
): Promise<void> {
  if (await store.hasEnvironments(tx, caller, { collectionId, count: limits.environmentsPerCollection })) {
    throw invalid(sentences.tooManyEnvironments)
  }
  if (sealedBytes === 0) return
  await store.lockCollectionSize(tx, caller, collectionId)
  const otherBytes = await store.sealedBytesIn(tx, caller, { collectionId })
  if (otherBytes + sealedBytes > limits.collectionBytes) throw invalid(sentences.collectionTooLarge)
}

export function renameEnvironment(
  core: Core,
  caller: Member,
  input: InputOf<typeof environments.rename>,
): Promise<EnvironmentSummary> {
  return unlessTaken(sentences.environmentNameTaken, () =>
    inTurn(caller, input.id, () =>
      core.change(caller, "environment.rename", async (tx, notes) => {
        const before = await store.lockEnvironment(tx, caller, input.id)
        if (before !== undefined && before.name !== input.name) await refuseIfRenamed(tx, before, input.revision)
        const row = await store.renameEnvironment(tx, caller, input)
        if (row === undefined || before === undefined) throw notFound("Environment")
        if (row.revision !== before.revision) {
          const maker = { caller, action: "environment.rename" } as const
          await addRevision(tx, maker, { environmentId: row.id, number: row.revision })
        }
        notes.about({ collectionId: row.collectionId, environmentId: row.id })
        notes.invalidate({ environmentId: row.id })
        return row
      }),
    ),
  )
}

/** Moves it to the trash, from where `features/trash` restores it or deletes it forever. Its API keys stop at once. */
export function deleteEnvironment(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof environments.remove>,
): Promise<null> {
  return inTurn(caller, id, () =>
    core.change(caller, "environment.delete", async (tx, notes) => {
      const row = await store.lockEnvironment(tx, caller, id)
      if (row === undefined) throw notFound("Environment")
      await store.trashEnvironment(tx, caller, row)
      await store.markCollectionChanged(tx, caller, row.collectionId)
      notes.about({ collectionId: row.collectionId, environmentId: id, environmentName: row.name })
      notes.invalidate({ environmentId: id, ends: true })
      return null
    }),
  )
}

export async function getEnvironment(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof environments.get>,
  holdBytes: HoldBytes,
): Promise<Environment> {
  await holdBytesOf(core, caller, { environmentId: id }, holdBytes)
  const [environment] = await core.snapshot((snapshot) =>
    wholeEnvironments(snapshot, core.vault, caller, { environmentId: id }),
  )
  if (environment === undefined) throw notFound("Environment")
  return environment
}

export async function listEnvironments(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof environments.listOfCollection>,
  holdBytes: HoldBytes,
): Promise<Environment[]> {
  await holdBytesOf(core, caller, { collectionId: id }, holdBytes)
  return core.snapshot(async (snapshot) => {
    if (!(await store.isCollectionInReach(snapshot, caller, id))) throw notFound("Collection")
    return wholeEnvironments(snapshot, core.vault, caller, { collectionId: id })
  })
}

/** Called before the snapshot is taken: a wait must not hold a connection. */
export async function holdBytesOf(core: Core, caller: Member, scope: Scope, holdBytes: HoldBytes): Promise<void> {
  await holdBytes(await store.sealedBytesIn(core.db, caller, scope))
}

/**
 * Environments with their items and API keys. Takes a snapshot, so that all of it is of the same moment. Values and keys
 * are opened when they are read, which is when they are sent; until then `holdBytesOf` holds them.
 */
export async function wholeEnvironments(
  snapshot: Reader,
  vault: Vault,
  caller: Member,
  scope: Scope,
): Promise<(Environment & store.EnvironmentRow)[]> {
  const rows = await store.environmentRowsWithKeys(snapshot, caller, scope)
  // Either scope lies within one collection.
  const [first] = rows
  const dataKey = first && (await vault.dataKey(snapshot, first.collectionId, first.wrappedKey))
  const items = await itemsOf(snapshot, caller, { scope, environments: rows }, dataKey)
  const apiKeys = await apiKeysOf(snapshot, caller, scope, dataKey)
  return rows.map(({ wrappedKey: _, ...row }) => ({
    ...row,
    collectionItems: items.get(row.id) ?? [],
    apiKeys: apiKeys.get(row.id) ?? [],
  }))
}

const collectionsPerBatch = 100

/** For lists: the environments of these collections. */
export async function summariesByCollection(
  db: Reader,
  caller: Member,
  collectionIds: readonly number[],
): Promise<Map<number, store.EnvironmentRow[]>> {
  const rows = await byParents(collectionIds, collectionsPerBatch, (ids) =>
    store.environmentRows(db, caller, { collectionIds: ids }),
  )
  return Map.groupBy(rows, (row) => row.collectionId)
}
