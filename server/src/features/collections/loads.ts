import type { collections, InputOf } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Core } from "../../db/core.ts"
import { bytesIn } from "../environments/rules.ts"
import { descriptionBytes } from "../names/rules.ts"

// How much calls load at most. `route` holds it for them before their rules run.

export { bytesOfCollectionAtOnce } from "../environments/loads.ts"

export async function bytesOfDuplicate(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof collections.duplicate>,
): Promise<number> {
  return (await descriptionBytes(db, caller, id)) + (await bytesIn(db, caller, { collectionId: id }))
}
