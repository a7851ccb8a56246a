import type { InputOf, PasskeyRequest, passkeys } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import { confirmSession } from "../users/sessions/rules.ts"
import { refused } from "./answers.ts"
import { askPasskey, checkPasskey } from "./use.ts"

export function beginConfirming(core: Core, caller: UserCaller, site: Site): Promise<PasskeyRequest> {
  return askPasskey(core, caller, site, { purpose: "confirm", userId: caller.userId })
}

/** In place of the password. For some minutes, the session can make calls that ask for a confirmation. */
export async function confirmWithPasskey(
  core: Core,
  caller: UserCaller,
  site: Site,
  { answer }: InputOf<typeof passkeys.confirm>,
): Promise<null> {
  const { userId } = caller
  const { use } = await checkPasskey(core, caller, site, { answer, purpose: "confirm", userId })
  if (!(await core.bookkeep(use))) throw refused()
  await confirmSession(core, caller)
  return null
}
