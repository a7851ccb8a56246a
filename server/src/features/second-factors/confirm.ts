import { type ConfirmNeeded, confirmMinutes, sentences } from "@envkeep/contract"
import type { UserCaller } from "../../access/caller.ts"
import { hasPassword } from "../../access/has-password.ts"
import type { Site } from "../../access/site.ts"
import type { Core } from "../../core/core.ts"
import { minuteMs } from "../../durations.ts"
import { AppError } from "../../errors.ts"
import { hasPasskeyAt } from "./passkey-hosts.ts"

const confirmMs = confirmMinutes * minuteMs

/** Whether the caller has logged in or confirmed in the last minutes. A token is not asked: its scope decides. */
function isConfirmed({ token, confirmedAt }: UserCaller, now: number): boolean {
  // A time far in the future was written before the clock was set back.
  return token !== undefined || (confirmedAt > now - confirmMs && confirmedAt < now + confirmMs)
}

/** Refuses a caller who has to confirm first, and says how that can be done at this site. */
export async function refuseUnconfirmed({ db }: Core, caller: UserCaller, site: Site): Promise<void> {
  if (isConfirmed(caller, Date.now())) return
  const data: ConfirmNeeded = {
    confirm: {
      password: await hasPassword(db, caller.userId),
      passkey: await hasPasskeyAt(db, caller.userId, site),
    },
  }
  throw new AppError("forbidden", sentences.confirmFirst, undefined, data)
}
