import { limits } from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import type { Notes } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { addInherited } from "../history/record/rules.ts"
import * as store from "./store.ts"

/**
 * Gives everything that inherits from a locked environment a new revision, in the transaction that changes what it
 * inherits: by the revision alone do readers notice. `revision` is the one that the environment gets.
 *
 * One level after the other, and before the collection is locked: a writer of an heir makes this one wait before it gets
 * to what is below, so they do not wait for each other in a circle.
 */
export async function raiseHeirs(
  tx: Tx,
  notes: Notes,
  { caller, id, revision }: { caller: Member; id: number; revision: number },
): Promise<void> {
  if (!(await store.hasHeirs(tx, { id }))) return
  let revisions = new Map([[id, revision]])
  for (let level = 0; revisions.size > 0 && level < limits.inheritanceLevels; level++) {
    const raised = await store.raiseHeirs(tx, [...revisions.keys()])
    const heirs = raised.flatMap(({ baseId, ...heir }) => {
      const baseRevision = baseId === null ? undefined : revisions.get(baseId)
      return baseId === null || baseRevision === undefined ? [] : [{ ...heir, baseId, baseRevision }]
    })
    if (heirs.length > 0) await addInherited(tx, caller, heirs)
    for (const heir of heirs) notes.invalidate({ environmentId: heir.id })
    revisions = new Map(heirs.map((heir) => [heir.id, heir.revision]))
  }
}
