import type { environments, InputOf, Level } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { bytesWithBases } from "./copy/source.ts"
import { baseIdsOf } from "./inheritance/rules.ts"
import { bytesAtOnce } from "./scope.ts"
import * as store from "./store.ts"
import { type Holding, itemsTagOf } from "./tags.ts"

// How much calls load at most. `route` holds it for them before their rules run.

export async function bytesOfEnvironment(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof environments.get>,
): Promise<number> {
  return store.loadedBytesIn(db, caller, { environmentIds: [id, ...(await baseIdsOf(db, id))] })
}

/** What is more is loaded in steps. */
export async function bytesOfCollectionAtOnce({ db }: Core, caller: Member, { id }: { id: number }): Promise<number> {
  return Math.min(await store.loadedBytesIn(db, caller, { collectionId: id }), bytesAtOnce)
}

/** Of environments whose items the caller does not hold as they are. What is more is loaded in steps. */
export async function bytesOfLackingAtOnce(
  { db }: Core,
  caller: Member,
  { id, role, holding }: { id: number; role: Level; holding: Holding },
): Promise<number> {
  const rows = await store.shownEnvironments(db, caller, { collectionId: id })
  const lacking = rows.filter((row) => !holding.hasItems(itemsTagOf({ ...row, valuesHidden: !row.isReadable }, role)))
  return Math.min(
    lacking.reduce((sum, row) => sum + store.loadedBytes(row), 0),
    bytesAtOnce,
  )
}

/** What is read, and then the answer. */
export async function bytesOfNewEnvironment(
  core: Core,
  caller: Member,
  { from }: InputOf<typeof environments.create>,
): Promise<number> {
  if (from === undefined || from.what === "inherit") return 0
  return 2 * (await bytesWithBases(core, caller, from.environmentId))
}

export async function bytesOfCopy(
  core: Core,
  caller: Member,
  { id, from }: InputOf<typeof environments.copy>,
): Promise<number> {
  return (await bytesWithBases(core, caller, from)) + (await bytesWithBases(core, caller, id))
}
