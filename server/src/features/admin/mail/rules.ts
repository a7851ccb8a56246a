import type { MailState } from "@envkeep/contract"
import type { Core } from "../../../core/core.ts"
import { isoTime } from "../../../iso-time.ts"
import { readMailState } from "../../../mail/state.ts"

/** Whether mails arrive at the mail server. Not to whom, nor what they say. */
export async function mailState({ db }: Core): Promise<MailState> {
  const { waiting, givenUp, fault, failedAt } = await readMailState(db)
  return {
    waiting,
    givenUp,
    lastFault: fault === null || failedAt === null ? null : { fault, at: isoTime(failedAt) },
  }
}
