import { limits } from "@envkeep/contract"
import { type BadRows, createBadRows } from "../../../bounds/bad-rows.ts"
import { type Expiring, purge } from "../../../bounds/expiring-rows.ts"
import type { Core } from "../../../core/core.ts"
import type { Tx } from "../../../db/schema.ts"
import { dayMs } from "../../../durations.ts"
import * as store from "./store.ts"

/** Keeps queues and the lists of what was delivered within their bounds. Returns how many messages were given up. */
export async function pruneDeliveries(
  core: Core,
  now = Date.now(),
  badRows: BadRows = createBadRows(),
): Promise<number> {
  let givenUp = 0
  for (const { webhookId, upTo } of await store.overfullQueues(core.db, limits.pendingDeliveries)) {
    const giveUp = () => core.bookkeep((tx) => store.giveUpWaiting(tx, webhookId, { now, fault: "queue_full", upTo }))
    givenUp += (await badRows.attempt("webhook", webhookId, giveUp)) ?? 0
  }
  const kept = { usedSince: now - dayMs, maxKept: limits.keptDeliveries }
  for (const log of await store.overlongLogs(core.db, kept)) {
    await badRows.attempt("webhook", log.webhookId, () => core.bookkeep((tx) => store.deleteFinished(tx, log)))
  }
  await purge(core, oldDeliveries, { now, badRows })
  return givenUp
}

const oldDeliveries: Expiring = {
  table: "webhook_delivery",
  key: "id",
  afterMs: { finished_at: limits.keptDeliveryDays * dayMs },
}

/** For a webhook that its user disables. */
export async function giveUp(tx: Tx, webhookId: number): Promise<void> {
  await store.giveUpWaiting(tx, webhookId, { now: Date.now(), fault: "disabled" })
}

/** For the metrics. */
export function waitingDeliveries({ db }: Pick<Core, "db">): Promise<number> {
  return store.countWaiting(db)
}
