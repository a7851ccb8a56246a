import type { FastifyBaseLogger } from "fastify"
import { theServer } from "../access/caller.ts"
import { deleteInBatches } from "../bounds/batches.ts"
import { steadyNow } from "../db/clock.ts"
import type { Core } from "../db/core.ts"
import { isUnreadableNumber } from "../db/faults.ts"
import type { Db, Tx } from "../db/schema.ts"
import { dayMs, hourMs } from "../durations.ts"
import { BrokenChainError, chainEvents, cutEvents, hasUnchained } from "./chain.ts"

/** The periodic work on the audit trail. */
export interface AuditJobs {
  /** Whether this node may have written events that are not chained. Does not ask the database. */
  mayHaveUnchained(): boolean
  chain(): Promise<void>
  /** Ends after a batch once the signal is aborted. */
  deleteOld(signal: AbortSignal): Promise<void>
}

interface AuditParts {
  db: Db
  core: Core
  /** How long events are kept; without it, forever. */
  auditDays: number | undefined
  log: FastifyBaseLogger
}

const rowsPerDelete = 500

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

  return {
    mayHaveUnchained: () => core.counts.endedChanges !== chainedChanges,
    chain: () =>
      unlessBroken(async () => {
        // Read first: a change that commits during the query may be missing in its result.
        const { endedChanges } = core.counts
        if (await hasUnchained(core.db)) await chainEvents(db, core.vault)
        else chainedChanges = endedChanges
      }),
    deleteOld: (signal) =>
      unlessBroken(async () => {
        if (auditDays === undefined) return
        const before = Date.now() - auditDays * dayMs
        const events = await cutEvents(db, core.vault, before, signal)
        const reads = await core.bookkeep((tx) => deleteReads(tx, before, signal))
        if (events === 0 && reads === 0) return
        log.info({ events, reads, auditDays }, "deleted old events")
        await core.change(theServer, "audit.cut", async (_, notes) => notes.about({ counts: { events, reads } }))
      }),
  }
}

function deleteReads(tx: Tx, before: number, signal: AbortSignal): Promise<number> {
  const deleteSome = async () => {
    const { numDeletedRows } = await tx
      .deleteFrom("key_read")
      .where("id", "in", (eb) =>
        eb.selectFrom("key_read").select("id").where("hour_at", "<", before).limit(rowsPerDelete),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  }
  return deleteInBatches(rowsPerDelete, deleteSome, signal)
}
