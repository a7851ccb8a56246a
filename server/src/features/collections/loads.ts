import type { collections, InputOf } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { bytesOfCollectionAtOnce, bytesOfLackingAtOnce } from "../environments/loads.ts"
import { bytesIn } from "../environments/rules.ts"
import { holdingOf } from "../environments/tags.ts"
import { descriptionBytes } from "../names/rules.ts"
import { collectionInReach } from "./read.ts"

// How much calls load at most. `route` holds it for them before their rules run.

/** Of a reload, what its caller lacks. What is more than may be in memory at once is loaded in steps. */
export async function bytesOfCollection(
  core: Core,
  caller: Member,
  { id, tagged = false, held }: InputOf<typeof collections.get>,
): Promise<number> {
  if (!tagged && held === undefined) return bytesOfCollectionAtOnce(core, caller, { id })
  const { role } = await collectionInReach(core.db, caller, id)
  return bytesOfLackingAtOnce(core, caller, { id, role, holding: holdingOf(held) })
}

export async function bytesOfDuplicate(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof collections.duplicate>,
): Promise<number> {
  return (await descriptionBytes(db, caller, id)) + (await bytesIn(db, caller, { collectionId: id }))
}
