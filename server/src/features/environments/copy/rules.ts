import { type CopyResult, type environments, type InputOf, sentences } from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import type { Core } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { AppError, invalid, notFound } from "../../../errors.ts"
import { changeEnvironment, type LockedEnvironment } from "../change-environment.ts"
import { refuseIfSourceChanged } from "../conflicts/rules.ts"
import { baseIdsOf } from "../inheritance/rules.ts"
import {
  mergeItems,
  missingIn,
  oneBulkSavePerUser,
  refuseIfChangedSince,
  valuesIn,
  type Wanted,
} from "../items/rules.ts"
import * as environmentStore from "../store.ts"
import { type CopySource, readSource } from "./source.ts"

/**
 * Copies items into another environment of the collection. The source is read in a snapshot, before the target is locked:
 * two locks could wait for each other, and the revision says which state was copied.
 */
export async function copyItems(
  core: Core,
  caller: Member,
  { id, from, names, revision, sourceRevision, note }: InputOf<typeof environments.copy>,
): Promise<CopyResult> {
  const [target] = await environmentStore.environmentRows(core.db, caller, { environmentId: id })
  if (target === undefined) throw await outOfReach(core.db, caller, { environmentId: id })
  if (from === id) throw invalid(sentences.copiedIntoItself)
  return oneBulkSavePerUser(caller, async () => {
    const source = await core.snapshot(async (snapshot) => {
      const read = await readSource(snapshot, core, caller, from)
      if (read.collectionId !== target.collectionId) throw notFound("Environment")
      await refuseIfSourceChanged(snapshot, read, sourceRevision)
      return read
    })
    const { items, damaged } = chosen(source, names)
    const change = { action: "item.copy", environmentId: id, note } as const
    return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
      await refuseIfChangedSince(tx, environment, revision)
      const merged = await mergeItems(tx, notes, environment, {
        items: await withoutInherited(tx, environment, items),
        source: source.revision,
        sourceEnvironment: { id: source.id, name: source.name },
      })
      return { ...merged.environment, copied: merged.changed, damaged }
    })
  })
}

function chosen({ values }: CopySource, names: readonly string[]): { items: Wanted; damaged: number } {
  const items: Wanted = []
  for (const name of names) {
    const value = values.get(name)
    if (value === undefined) throw new AppError("not_found", sentences.nameNotInSource)
    if (value !== null) items.push({ name, value })
  }
  return { items, damaged: names.length - items.length }
}

/** Without items that a locked environment does not set itself, but inherits with the same value. */
async function withoutInherited(tx: Tx, environment: LockedEnvironment, items: Wanted): Promise<Wanted> {
  if (environment.baseId === null) return items
  // Its bases cannot change: a change of one of them waits for the lock on this environment.
  const inherited = new Map<string, string | null>()
  for (const id of await baseIdsOf(tx, environment.id)) {
    for (const { name, value } of await valuesIn(tx, { id }, environment.dataKey)) {
      if (!inherited.has(name)) inherited.set(name, value)
    }
  }
  const missing = await missingIn(tx, environment, items)
  const same = new Set(missing.flatMap(({ name, value }) => (inherited.get(name) === value ? [name] : [])))
  return items.filter(({ name }) => !same.has(name))
}
