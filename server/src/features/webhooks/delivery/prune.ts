import { limits } from "@envkeep/contract"
import type { Core } from "../../../db/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { dayMs } from "../../../durations.ts"
import * as store from "./store.ts"

/** Keeps queues and the lists of what was delivered within their bounds. */
export async function pruneDeliveries(core: Core, now = Date.now()): Promise<void> {
  for (const { webhookId, upTo } of await store.overfullQueues(core.db, limits.pendingDeliveries)) {
    await core.bookkeep((tx) => store.giveUpWaiting(tx, webhookId, { now, fault: "queue_full", upTo }))
  }
  const kept = { usedSince: now - dayMs, maxKept: limits.keptDeliveries }
  for (const log of await store.overlongLogs(core.db, kept)) await core.bookkeep((tx) => store.deleteFinished(tx, log))
  await core.bookkeep((tx) => store.deleteFinished(tx, { before: now - limits.keptDeliveryDays * dayMs }))
}

/** For a webhook that its user disables. */
export async function giveUp(tx: Tx, webhookId: number): Promise<void> {
  await store.giveUpWaiting(tx, webhookId, { now: Date.now(), fault: "disabled" })
}

/** For the metrics. */
export function waitingDeliveries({ db }: Pick<Core, "db">): Promise<number> {
  return store.countWaiting(db)
}
