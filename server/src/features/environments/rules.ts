import {
  type Environment,
  type EnvironmentSummary,
  type EnvironmentWithInherited,
  type environments,
  type InputOf,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { isInReach } from "../../access/reach.ts"
import { ListInSteps } from "../../bounds/list-in-steps.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { notFound, unlessTaken } from "../../errors.ts"
import type { DataKey, Vault } from "../../keys/secrets.ts"
import { apiKeysOf } from "./api-keys/rules.ts"
import { inTurn } from "./change-environment.ts"
import { refuseIfRenamed } from "./conflicts/rules.ts"
import { inheritedInPieces } from "./inheritance/inherited.ts"
import {
  baseIdsOf,
  handDown,
  heirsToHandDown,
  lockWithBase,
  protectHeirs,
  refuseToOpenHeir,
} from "./inheritance/rules.ts"
import { itemsOf } from "./items/listing.ts"
import { oneBulkSavePerUser } from "./items/rules.ts"
import * as revisionStore from "./revision-store.ts"
import { bytesAtOnce, type Scope } from "./scope.ts"
import * as store from "./store.ts"

export function renameEnvironment(
  core: Core,
  caller: Member,
  input: InputOf<typeof environments.rename>,
): Promise<EnvironmentSummary> {
  return unlessTaken(sentences.environmentNameTaken, () =>
    inTurn(caller, input.id, () =>
      core.change(caller, "environment.rename", async (tx, notes) => {
        const before = await revisionStore.lockEnvironment(tx, caller, input.id)
        if (before !== undefined && before.name !== input.name) await refuseIfRenamed(tx, before, input.revision)
        const row = await store.renameEnvironment(tx, caller, input)
        if (row === undefined || before === undefined) {
          throw await outOfReach(tx, caller, { environmentId: input.id })
        }
        if (row.revision !== before.revision) {
          const maker = { caller, action: "environment.rename" } as const
          await revisionStore.addRevision(tx, maker, { environmentId: row.id, number: row.revision })
        }
        notes.about({ collectionId: row.collectionId, environmentId: row.id })
        notes.invalidate({ environmentId: row.id })
        return row
      }),
    ),
  )
}

/** Its revision stays: what keys read is the same. Open screens are told, and lose what they may no longer show. */
export function protectEnvironment(
  core: Core,
  caller: Member,
  { id, isProtected, withHeirs = false }: InputOf<typeof environments.protect>,
): Promise<EnvironmentSummary> {
  return inTurn(caller, id, () =>
    core.change(caller, isProtected ? "environment.protect" : "environment.unprotect", async (tx, notes) => {
      const row = await revisionStore.lockEnvironment(tx, caller, id)
      if (row === undefined) throw await outOfReach(tx, caller, { environmentId: id })
      if (row.isProtected === isProtected) {
        notes.nothingChanged()
        return row
      }
      if (isProtected) await protectHeirs(tx, notes, { caller, environment: row, withHeirs })
      else await refuseToOpenHeir(tx, caller, row)
      await store.setProtection(tx, row, isProtected)
      notes.about({ collectionId: row.collectionId, environmentId: id })
      notes.invalidate({ collectionId: row.collectionId, forScreens: true })
      return { ...row, isProtected }
    }),
  )
}

/** Moves it to the trash, from where `features/trash` restores it or deletes it forever. Its API keys stop at once. */
export function deleteEnvironment(
  core: Core,
  caller: Member,
  { id, copyDown }: InputOf<typeof environments.remove>,
): Promise<null> {
  const remove = () =>
    core.change(caller, "environment.delete", async (tx, notes) => {
      const row = await lockWithBase(tx, caller, id)
      if (row === undefined) throw await outOfReach(tx, caller, { environmentId: id })
      const heirs = await heirsToHandDown(tx, row, copyDown)
      await store.trashEnvironment(tx, caller, row)
      // What is in the trash no longer counts, so its values have room in what inherited them.
      await handDown(core, tx, notes, { caller, environment: row, heirs, copyDown: copyDown === true })
      await store.markCollectionChanged(tx, caller, row.collectionId)
      notes.about({ collectionId: row.collectionId, environmentId: id, environmentName: row.name })
      notes.invalidate({ environmentId: id, ends: true })
      return null
    })
  const removeInTurn = () => inTurn(caller, id, remove)
  // To copy down may write as much as many bulk saves.
  return copyDown === true ? oneBulkSavePerUser(caller, removeInTurn) : removeInTurn()
}

export async function getEnvironment(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof environments.get>,
): Promise<EnvironmentWithInherited> {
  return core.snapshot(async (snapshot) => {
    const [environment] = await wholeEnvironments(snapshot, core.vault, caller, { environmentId: id })
    if (environment === undefined) throw notFound("Environment")
    if (environment.baseId === null) return { ...environment, inherited: [] }
    const bases = { environmentIds: await baseIdsOf(snapshot, id) }
    return {
      ...environment,
      inherited: await inheritedInPieces(environment, await wholeEnvironments(snapshot, core.vault, caller, bases)),
    }
  })
}

export function listEnvironments(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof environments.listOfCollection>,
): Promise<Environment[] | ListInSteps<Environment>> {
  return core.snapshot(async (snapshot) => {
    if (!(await isInReach(snapshot, caller, id))) throw notFound("Collection")
    if (await isLoadedAtOnce(snapshot, caller, id)) {
      return wholeEnvironments(snapshot, core.vault, caller, { collectionId: id })
    }
    return environmentsInSteps(core, caller, await summariesOf(snapshot, caller, id))
  })
}

/** Whether all that a collection's environments hold may be in memory at the same time. */
export async function isLoadedAtOnce(snapshot: Reader, caller: Member, collectionId: number): Promise<boolean> {
  return (await bytesIn(snapshot, caller, { collectionId })) <= bytesAtOnce
}

export function summariesOf(db: Reader, caller: Member, collectionId: number): Promise<revisionStore.EnvironmentRow[]> {
  return store.environmentRows(db, caller, { collectionId })
}

/** What is gone when its step is loaded is left out. */
export function environmentsInSteps(
  core: Core,
  caller: Member,
  rows: readonly { id: number }[],
): ListInSteps<Environment & EnvironmentHead> {
  async function* steps() {
    for (const { id: environmentId } of rows) {
      yield core.snapshot((snapshot) => wholeEnvironments(snapshot, core.vault, caller, { environmentId }))
    }
  }
  return new ListInSteps(bytesAtOnce, steps())
}

/** How much a read of the scope loads. */
export function bytesIn(db: Reader, caller: Member, scope: Scope): Promise<number> {
  return store.loadedBytesIn(db, caller, scope)
}

/**
 * Environments with their items and API keys. Takes a snapshot, so that all of it is of the same moment. Values and keys
 * are opened when they are read, which is when they are sent.
 */
export async function wholeEnvironments(
  snapshot: Reader,
  vault: Vault,
  caller: Member,
  scope: Scope,
): Promise<(Environment & EnvironmentHead)[]> {
  const { heads, dataKey } = await headsOf(snapshot, vault, caller, scope)
  const items = await itemsOf(snapshot, caller, { scope, environments: heads }, dataKey)
  return heads.map((head) => ({ ...head, collectionItems: items.get(head.id) ?? [] }))
}

/** An environment without its items. */
export interface EnvironmentHead extends Omit<Environment, "collectionItems"> {
  changedAt: number | null
  sealedBytes: number
  isReadable: boolean
}

/** With the key that opens their items: each scope lies within one collection. */
async function headsOf(
  snapshot: Reader,
  vault: Vault,
  caller: Member,
  scope: Scope,
): Promise<{ heads: EnvironmentHead[]; dataKey: DataKey }> {
  const rows = await store.shownEnvironments(snapshot, caller, scope)
  const [first] = rows
  const dataKey = first && (await vault.dataKey(snapshot, first.collectionId, first.wrappedKey))
  const apiKeys = await apiKeysOf(snapshot, caller, scope, dataKey)
  const heads = rows.map(({ wrappedKey: _, ...row }) => ({
    ...row,
    valuesHidden: !row.isReadable,
    apiKeys: apiKeys.get(row.id) ?? [],
  }))
  return { heads, dataKey }
}

/** The environments of a collection without their items, and what loads the items of some of them. */
export async function headsOfCollection(core: Core, snapshot: Reader, caller: Member, collectionId: number) {
  const { heads, dataKey } = await headsOf(snapshot, core.vault, caller, { collectionId })
  const loadItems = async <Head extends EnvironmentHead>(some: readonly Head[]) => {
    if (some.length === 0) return []
    const scope = some.length === heads.length ? { collectionId } : { environmentIds: some.map(({ id }) => id) }
    const items = await itemsOf(snapshot, caller, { scope, environments: some }, dataKey)
    return some.map((head) => ({ ...head, collectionItems: items.get(head.id) ?? [] }))
  }
  return { heads, loadItems }
}

/** How much is loaded with the items of these. */
export function bytesOf(heads: readonly EnvironmentHead[]): number {
  return heads.reduce((sum, head) => sum + store.loadedBytes(head), 0)
}

/** The environments of the collections of a page. */
export async function summariesByCollection(
  db: Reader,
  caller: Member,
  collectionIds: readonly number[],
): Promise<Map<number, revisionStore.EnvironmentRow[]>> {
  const rows = await store.rowsOfCollections(db, caller, collectionIds)
  return Map.groupBy(rows, (row) => row.collectionId)
}
