import { type history, type InputOf, limits } from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import type { Core } from "../../../core/core.ts"
import { findPastState } from "./past.ts"
import { comparedRevisions, versionsPerPage } from "./rules.ts"
import * as store from "./store.ts"

// How much calls load at most. `route` holds it for them before their rules run.

/** No more than this was ever in one revision. */
const stateBytes = limits.environmentBytes

export function bytesOfRevision(
  core: Core,
  caller: Member,
  { id, revision }: InputOf<typeof history.get>,
): Promise<number> {
  return bytesOf(core, caller, id, { maxBytes: stateBytes, inheritedAt: [revision] })
}

export function bytesOfChanges(core: Core, caller: Member, input: InputOf<typeof history.changes>): Promise<number> {
  const { earlier, later } = comparedRevisions(input)
  return bytesOf(core, caller, input.id, { maxBytes: 2 * stateBytes, inheritedAt: [earlier, later] })
}

export function bytesOfVersions(core: Core, caller: Member, { id }: InputOf<typeof history.ofItem>): Promise<number> {
  return bytesOf(core, caller, id, { maxBytes: (versionsPerPage + 1) * limits.itemValueBytes })
}

export function bytesOfRestore(core: Core, caller: Member, { id }: InputOf<typeof history.restore>): Promise<number> {
  return bytesOf(core, caller, id, { maxBytes: 2 * stateBytes })
}

interface Wanted {
  /** More than this is never loaded, however long the history is. */
  maxBytes: number
  /** The revisions of which everything that was inherited is loaded too. */
  inheritedAt?: readonly number[]
}

async function bytesOf(
  { db }: Core,
  caller: Member,
  id: number,
  { maxBytes, inheritedAt = [] }: Wanted,
): Promise<number> {
  const environment = await store.historyOf(db, caller, id)
  if (environment === undefined) throw await outOfReach(db, caller, { environmentId: id })
  let bytes = Math.min(environment.storedBytes, maxBytes)
  for (const revision of inheritedAt) {
    const [, ...bases] = (await findPastState(db, environment, revision))?.layers ?? []
    for (const base of bases) bytes += base.maxBytes
  }
  return bytes
}
