import type { Reader } from "../db/schema.ts"
import * as store from "./store.ts"

export interface QueueState {
  waiting: number
  /** In the last 30 days. */
  givenUp: number
  /** Of the last try that failed, unless the mail was sent since. */
  fault: string | null
  failedAt: number | null
}

export async function readMailState(db: Reader): Promise<QueueState> {
  const { fault = null, failedAt = null } = (await store.lastFault(db)) ?? {}
  return { ...(await store.countMail(db)), fault, failedAt }
}
