import type { FastifyBaseLogger } from "fastify"
import { theServer } from "../access/caller.ts"
import { BrokenChainError, chainEvents, countEventsAfter, cutEvents, hasUnchained } from "../audit/chain.ts"
import type { BadRows } from "../bounds/bad-rows.ts"
import { purge } from "../bounds/expiring-rows.ts"
import type { Core } from "../core/core.ts"
import { steadyNow } from "../db/clock.ts"
import { isUnreadableNumber } from "../db/faults.ts"
import type { Db } from "../db/schema.ts"
import { dayMs, hourMs } from "../durations.ts"

/** The periodic work on the audit trail. */
export interface AuditJobs {
  /** Whether this node may have written events that are not chained. Does not ask the database. */
  mayHaveUnchained(): boolean
  chain(): Promise<void>
  /** Ends after a batch once the signal is aborted. */
  deleteOld(signal: AbortSignal, badRows: BadRows): Promise<void>
}

interface AuditParts {
  db: Db
  core: Core
  /** How long events are kept; without it, forever. */
  auditDays: number | undefined
  log: FastifyBaseLogger
}

export function createAuditJobs({ db, core, auditDays, log }: AuditParts): AuditJobs {
  let saidAt: number | undefined
  let chainedChanges: number | undefined

  /** Said once an hour, not every second. Events are still written, and can be chained when the store is repaired. */
  async function unlessBroken(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      saidAt = undefined
    } catch (error) {
      if (!(error instanceof BrokenChainError) && !isUnreadableNumber(error)) throw error
      if (saidAt !== undefined && steadyNow() - saidAt < hourMs) return
      saidAt = steadyNow()
      log.error({ err: error }, "the audit trail was tampered with: run `npm run verify-audit`")
    }
  }

  /** Events that were written while a clock was wrong. They go with those around them. */
  async function countAhead(): Promise<void> {
    const ahead = await countEventsAfter(core.db, Date.now() + hourMs)
    if (ahead === 0) return
    const { skippedRows } = core.counts
    skippedRows.set("audit_event", (skippedRows.get("audit_event") ?? 0) + ahead)
    log.warn({ events: ahead }, "events are dated in the future; they are deleted with the events around them")
  }

  return {
    mayHaveUnchained: () => core.counts.endedChanges !== chainedChanges,
    chain: () =>
      unlessBroken(async () => {
        // Read first: a change that commits during the query may be missing in its result.
        const { endedChanges } = core.counts
        if (await hasUnchained(core.db)) await chainEvents(db, core.vault)
        else chainedChanges = endedChanges
      }),
    async deleteOld(signal, badRows) {
      if (auditDays === undefined) return
      const keptMs = auditDays * dayMs
      await countAhead()
      let events = 0
      // A chain that was tampered with is kept. Reads are not part of it.
      await unlessBroken(async () => {
        events = await cutEvents(db, core.vault, Date.now() - keptMs, signal)
      })
      const reads = await purge(
        core,
        { table: "key_read", key: "id", afterMs: { hour_at: keptMs } },
        { signal, badRows },
      )
      if (events === 0 && reads === 0) return
      log.info({ events, reads, auditDays }, "deleted old events")
      await core.change(theServer, "audit.cut", async (_, notes) => notes.about({ counts: { events, reads } }))
    },
  }
}
