import type { Member } from "../../../access/caller.ts"
import type { Core } from "../../../core/core.ts"
import { keyedEnvironments } from "./rules.ts"

// How much the call loads at most. `route` holds it before the rule runs.

/** What a key takes in memory until its list is sent, roughly. */
const bytesPerListedKey = 1_000

export async function bytesOfApiKeys({ db }: Core, caller: Member): Promise<number> {
  const environments = await keyedEnvironments(db, caller)
  return bytesPerListedKey * environments.reduce((count, { apiKeys }) => count + apiKeys, 0)
}
