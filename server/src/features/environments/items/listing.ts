import { type EnvironmentSummary, type Item, limits } from "@envkeep/contract"
import { atLevel, type Member } from "../../../access/caller.ts"
import { byParents } from "../../../bounds/batches.ts"
import type { Reader } from "../../../db/schema.ts"
import type { DataKey } from "../../../keys/secrets.ts"
import type { Scope } from "../scope.ts"
import { openValue } from "./change-items.ts"
import * as store from "./store.ts"

/** The items in scope by environment, sorted by id. A damaged value is null. A value is opened each time it is read. */
export async function itemsOf(
  db: Reader,
  caller: Member,
  { scope, environments }: { scope: Scope; environments: readonly ListedEnvironment[] },
  dataKey: DataKey,
): Promise<Map<number, Item[]>> {
  const readable = environments.filter(({ isReadable }) => isReadable)
  const itemCount = readable.reduce((sum, environment) => sum + environment.itemCount, 0)
  const sealedBytes = readable.reduce((sum, environment) => sum + environment.sealedBytes, 0)
  // The level is in the query: a value that the caller may not see is not even loaded.
  const reader = atLevel(caller, "reader")
  const rows =
    itemCount <= store.rowsPerBatch && sealedBytes <= bytesPerBatch
      ? await store.itemRows(db, reader, scope)
      : await byParents(readable, 1, async ([environment]) => {
          if (environment === undefined) return []
          const { id: environmentId } = environment
          return store.manyItemRows(db, reader, { environmentId, rowsPerBatch: rowsAtOnce(environment) })
        })
  const items: Item[] = rows.map((row) => new ListedItem(row, dataKey))
  for (const { id, isReadable } of environments) {
    if (isReadable) continue
    for (const { environmentId, ...row } of await store.itemNames(db, caller, id)) {
      items.push({ ...row, value: null, subCollectionId: environmentId })
    }
  }
  return Map.groupBy(items, (item) => item.subCollectionId)
}

/** A class, because there can be tens of thousands, and an object with a getter of its own takes much longer to make. */
class ListedItem implements Item {
  readonly #row: store.ItemRow
  readonly #dataKey: DataKey

  constructor(row: store.ItemRow, dataKey: DataKey) {
    this.#row = row
    this.#dataKey = dataKey
  }

  get id() {
    return this.#row.id
  }

  get name() {
    return this.#row.name
  }

  get value() {
    return openValue(this.#row, this.#dataKey)
  }

  get subCollectionId() {
    return this.#row.environmentId
  }

  get revision() {
    return this.#row.revision
  }
}

type ListedEnvironment = EnvironmentSummary & { isReadable: boolean; sealedBytes: number }

/** To load this much is a short piece of work on the thread. */
const bytesPerBatch = 1024 * 1024

/** Values differ in length, so a batch may be a few times longer than the average says. */
function rowsAtOnce({ itemCount, sealedBytes }: { itemCount: number; sealedBytes: number }): number {
  const averageBytes = sealedBytes / Math.max(1, itemCount)
  const atLeast = bytesPerBatch / limits.itemValueBytes
  return Math.min(store.rowsPerBatch, Math.max(atLeast, Math.floor(bytesPerBatch / 4 / Math.max(1, averageBytes))))
}
