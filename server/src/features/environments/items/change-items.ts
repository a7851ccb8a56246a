import { setImmediate as nextTurn } from "node:timers/promises"
import { type EnvironmentSummary, limits, sentences } from "@envkeep/contract"
import type { Notes } from "../../../db/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { invalid } from "../../../errors.ts"
import { sealSecret } from "../../../keys/secrets.ts"
import { type LockedEnvironment, sealingKey } from "../lock.ts"
import { lockCollectionSize, raiseRevision, sealedBytesBeside } from "../store.ts"
import * as store from "./store.ts"

/** From what an environment holds to what it shall hold. */
export interface ItemsChange {
  put: readonly PutItem[]
  remove: readonly store.ItemRow[]
  /** What the rows themselves say is held, where the environment's own totals may be wrong. */
  heldTotals?: store.Totals
}

/** A new item, or what takes the place of a held one. Only a change of one item may give it another name. */
export interface PutItem {
  name: string
  value: string
  held?: store.ItemRow | undefined
}

interface ItemsChanged {
  environment: EnvironmentSummary
  /** The item that was put, where it was one. */
  id: number | undefined
}

// Rows per statement: few enough for the parameters of both engines, and for other requests to get their turn between.
const rowsPerStatement = 1_000

/**
 * The one way to change an environment's items: adding, editing, deleting, saving the whole list. Writes the rows, checks
 * the limits, keeps the totals in step, and raises the revision, by which alone readers tell two states apart.
 */
export async function changeItems(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  change: ItemsChange,
): Promise<ItemsChanged> {
  const { put, remove, heldTotals = environment } = change
  let { itemCount, sealedBytes } = heldTotals
  let id: number | undefined

  for (const piece of pieces(put)) {
    const rows = piece.map(({ name, value }) => sealItem(environment, name, value))
    if (put.length === 1) id = await putOne(tx, environment, piece[0]?.held, rows[0])
    else await store.putItems(tx, environment, rows)
    for (const [index, row] of rows.entries()) {
      const { held } = piece[index] ?? {}
      itemCount += held === undefined ? 1 : 0
      sealedBytes += row.sealedValue.length - (held?.sealedValue.length ?? 0)
    }
    if (put.length > rowsPerStatement) await nextTurn()
  }
  for (const piece of pieces(remove)) {
    await store.deleteItems(tx, environment, piece.map((row) => row.id)) // biome-ignore format: one line
    itemCount -= piece.length
    for (const row of piece) sealedBytes -= row.sealedValue.length
  }
  await checkLimits(tx, environment, { itemCount, sealedBytes })

  const { caller, collectionId, id: environmentId } = environment
  notes.about({ collectionId, environmentId, names: [...put, ...remove].map(({ name }) => name) })
  notes.invalidate({ environmentId })
  return { environment: await raiseRevision(tx, caller, { id: environmentId, itemCount, sealedBytes }), id }
}

async function putOne(
  tx: Tx,
  environment: LockedEnvironment,
  held: store.ItemRow | undefined,
  row: store.SealedItem | undefined,
): Promise<number | undefined> {
  if (row === undefined) return undefined
  if (held === undefined) return (await store.insertItem(tx, environment, row)).id
  await store.updateItem(tx, environment, { id: held.id, ...row })
  return held.id
}

function sealItem(environment: LockedEnvironment, name: string, value: string): store.SealedItem {
  const context = { kind: "item", environmentId: environment.id, name } as const
  return { name, sealedValue: sealSecret(sealingKey(environment), value, context) }
}

/** Only growth is refused: what was within the limits once can always shrink, whatever the limits are now. */
async function checkLimits(tx: Tx, environment: LockedEnvironment, after: store.Totals): Promise<void> {
  if (after.itemCount > environment.itemCount && after.itemCount > limits.itemsPerEnvironment) {
    throw invalid(sentences.environmentFull)
  }
  if (after.sealedBytes <= environment.sealedBytes) return
  if (after.sealedBytes > limits.environmentBytes) throw invalid(sentences.environmentTooLarge)
  await lockCollectionSize(tx, environment.caller, environment.collectionId)
  const beside = await sealedBytesBeside(tx, environment.caller, environment)
  if (beside + after.sealedBytes > limits.collectionBytes) throw invalid(sentences.collectionTooLarge)
}

function* pieces<Element>(all: readonly Element[]): Generator<readonly Element[]> {
  for (let start = 0; start < all.length; start += rowsPerStatement) yield all.slice(start, start + rowsPerStatement)
}
