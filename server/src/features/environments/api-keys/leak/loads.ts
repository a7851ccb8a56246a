import { type apiKeys, type InputOf, limits } from "@envkeep/contract"
import type { Member } from "../../../../access/caller.ts"
import type { Core } from "../../../../core/core.ts"
import { apiKeyRow } from "../store.ts"
import { keyedEnvironment } from "./store.ts"

// How much the call loads at most. `route` holds it before the rule runs.

const bytesPerName = 500

export async function bytesOfLeak({ db }: Core, caller: Member, { id }: InputOf<typeof apiKeys.leak>): Promise<number> {
  const key = await apiKeyRow(db, caller, id)
  const environment = key && (await keyedEnvironment(db, caller, key.environmentId))
  // The rule says that it is not there.
  if (environment === undefined) return 0
  // Each name that it has no more is in a version that was replaced or removed.
  const formerNames = environment.historyBytes / limits.versionBytes
  // Of those that were written since, the values then and now are compared, one environment after another.
  const compared = 2 * Math.min(environment.historyBytes, limits.environmentBytes)
  return bytesPerName * Math.ceil(environment.itemCount + formerNames) + compared
}
