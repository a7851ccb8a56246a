import { purgeExpiredAttempts } from "../access/attempts/rules.ts"
import type { AuditJobs } from "../audit/jobs.ts"
import type { Core } from "../db/core.ts"
import type { Live } from "../features/collections/live.ts"
import { purgeExpiredTrash, type TrashDays } from "../features/trash/rules.ts"
import type { Refusals } from "../features/users/refusals.ts"
import { purgeExpiredResets } from "../features/users/resets.ts"
import { purgeExpiredSessions } from "../features/users/sessions.ts"
import type { LastUsed } from "../features/variables/last-used.ts"
import type { Watch } from "../features/variables/watch.ts"
import type { Job } from "./jobs.ts"

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

interface JobParts {
  core: Core
  audit: AuditJobs
  lastUsed: LastUsed
  refusals: Refusals
  watch: Watch
  live: Live
  trashDays: TrashDays
  /** Writes to the log what a job has done. */
  report(counts: object, what: string): void
}

/** All periodic work there is. */
export function allJobs({ core, audit, lastUsed, refusals, watch, live, trashDays, report }: JobParts): Job[] {
  return [
    {
      name: "purge expired sessions",
      everyMs: hourMs,
      on: "one node",
      run: () => purgeExpiredSessions(core),
    },
    {
      name: "purge expired reset links",
      everyMs: hourMs,
      on: "one node",
      run: () => purgeExpiredResets(core),
    },
    {
      name: "purge expired attempts",
      everyMs: hourMs,
      on: "one node",
      run: () => purgeExpiredAttempts(core),
    },
    {
      name: "empty the trash",
      everyMs: hourMs,
      on: "one node",
      async run() {
        const counts = await purgeExpiredTrash(core, trashDays)
        if (counts.collections + counts.environments > 0) report(counts, "deleted forever what was in the trash")
      },
    },
    {
      name: "write down which keys were used",
      everyMs: 10 * secondMs,
      on: "every node",
      run: () => lastUsed.flush(),
    },
    {
      name: "write down that a key was used for the first time",
      everyMs: secondMs,
      on: "every node",
      run: () => lastUsed.flushFirst(),
    },
    {
      name: "write down refused logins",
      everyMs: minuteMs,
      on: "every node",
      run: () => refusals.flush(),
    },
    {
      name: "chain events",
      everyMs: secondMs,
      on: "one node",
      run: () => audit.chain(),
    },
    {
      name: "delete old events",
      everyMs: hourMs,
      on: "one node",
      run: () => audit.deleteOld(),
    },
    {
      name: "keep watchers' connections alive",
      everyMs: 15 * secondMs,
      on: "every node",
      run: () => watch.sendHeartbeats(),
    },
    {
      name: "keep screens' connections alive",
      everyMs: 15 * secondMs,
      on: "every node",
      run: () => live.sendHeartbeats(),
    },
    {
      name: "end what screens follow when their sessions have ended",
      everyMs: secondMs,
      on: "every node",
      run: () => live.endEnded(),
    },
  ]
}
