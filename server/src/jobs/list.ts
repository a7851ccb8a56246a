import type { FastifyBaseLogger } from "fastify"
import { type BadRows, createBadRows } from "../bounds/bad-rows.ts"
import { purge } from "../bounds/expiring-rows.ts"
import type { Config } from "../config.ts"
import type { Core } from "../core/core.ts"
import { hourMs, minuteMs, secondMs } from "../durations.ts"
import { countToday } from "../features/admin/rules.ts"
import type { Live } from "../features/collections/live.ts"
import { pruneHistory } from "../features/environments/history/retention/rules.ts"
import type { InstanceTracker } from "../features/instances/tracker.ts"
import type { TokenUses } from "../features/tokens/last-used.ts"
import { purgeExpiredTrash } from "../features/trash/rules.ts"
import type { Refusals } from "../features/users/refusals.ts"
import type { KeyRefusals } from "../features/variables/key-refusals.ts"
import type { LastUsed } from "../features/variables/last-used.ts"
import type { Watch } from "../features/variables/watch.ts"
import type { Deliverer } from "../features/webhooks/delivery/deliver.ts"
import { pruneDeliveries } from "../features/webhooks/delivery/prune.ts"
import type { MailSender } from "../mail/sender.ts"
import type { AuditJobs } from "./audit-jobs.ts"
import type { Job } from "./jobs.ts"
import { purges } from "./purges.ts"

interface JobParts {
  core: Core
  audit: AuditJobs
  lastUsed: LastUsed
  instances: InstanceTracker
  keyRefusals: KeyRefusals
  tokenUses: TokenUses
  refusals: Refusals
  watch: Watch
  live: Live
  deliverer: Deliverer
  /** Absent if the server sends no mail. */
  mailSender: MailSender | undefined
  config: Pick<Config, "historyDays" | "trashDays">
  log: Pick<FastifyBaseLogger, "info" | "warn">
}

interface RowJob extends Pick<Job, "name" | "everyMs"> {
  run(signal: AbortSignal, badRows: BadRows): Promise<unknown>
}

/** All periodic work there is. */
export function allJobs(parts: JobParts): Job[] {
  return [...cleaning(parts), ...writingDown(parts), ...auditing(parts), ...delivering(parts), ...keepingOpen(parts)]
}

/** What deletes rows that are no longer needed. */
function cleaning({ core, config, audit, deliverer, mailSender, log }: JobParts): Job[] {
  const rowJob = rowJobs({ core, log })
  return [
    ...purges
      .filter(({ table }) => table !== "mail" || mailSender !== undefined)
      .map((one) =>
        rowJob({ name: one.name, everyMs: hourMs, run: (signal, badRows) => purge(core, one, { signal, badRows }) }),
      ),
    rowJob({
      name: "empty the trash",
      everyMs: minuteMs,
      async run(signal, badRows) {
        const counts = await purgeExpiredTrash(core, config.trashDays, signal, badRows)
        if (counts.collections + counts.environments > 0) log.info(counts, "deleted forever what was in the trash")
      },
    }),
    rowJob({
      name: "prune history",
      everyMs: 10 * minuteMs,
      async run(signal, badRows) {
        const pruned = await pruneHistory(core, { days: config.historyDays }, signal, badRows)
        if (pruned.environments > 0) log.info(pruned, "removed old revisions")
      },
    }),
    rowJob({
      name: "delete old events",
      everyMs: hourMs,
      run: (signal, badRows) => audit.deleteOld(signal, badRows),
    }),
    rowJob({
      name: "prune deliveries of webhooks",
      everyMs: minuteMs,
      async run(_, badRows) {
        const givenUp = await pruneDeliveries(core, Date.now(), badRows)
        deliverer.counts.given_up += givenUp
      },
    }),
  ]
}

/** A job of one node that goes through rows. One that fails is left out, and the job goes on with the others. */
function rowJobs({ core, log }: Pick<JobParts, "core" | "log">): (job: RowJob) => Job {
  const { skippedRows } = core.counts
  return ({ name, everyMs, run }) => {
    const badRows = createBadRows(({ table, key }, error) => {
      skippedRows.set(table, (skippedRows.get(table) ?? 0) + 1)
      // A key that is not an id says something of what is in the row.
      const id = typeof key === "number" ? key : undefined
      log.warn({ err: error, job: name, table, id }, "a job leaves out a row that fails; it tries it again in an hour")
    })
    return { name, everyMs, on: "one node", run: async (signal) => void (await run(signal, badRows)) }
  }
}

/** What is counted in memory first, and how much there is. */
function writingDown({ core, lastUsed, instances, keyRefusals, tokenUses, refusals }: JobParts): Job[] {
  return [
    {
      // Often, so that a server that is never up for long has a count too. It counts once a day.
      name: "count what there is today",
      everyMs: minuteMs,
      on: "one node",
      run: () => countToday(core),
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
      name: "write down which instances run",
      everyMs: secondMs,
      on: "every node",
      run: () => instances.flush(),
    },
    {
      name: "write down which keys were refused",
      everyMs: 10 * secondMs,
      on: "every node",
      run: () => keyRefusals.flush(),
    },
    {
      name: "write down which tokens were used",
      everyMs: 10 * secondMs,
      on: "every node",
      run: () => tokenUses.flush(),
    },
    {
      name: "write down refused logins",
      everyMs: minuteMs,
      on: "every node",
      run: () => refusals.flush(),
    },
  ]
}

function auditing({ audit }: JobParts): Job[] {
  return [
    {
      // Each node its own, because only it knows that there are some. Nodes that do it at the same time wait for each other.
      name: "chain events",
      everyMs: secondMs,
      on: "every node",
      isDue: () => audit.mayHaveUnchained(),
      run: () => audit.chain(),
    },
    {
      name: "chain events of commands, and of nodes that were killed",
      everyMs: minuteMs,
      on: "one node",
      run: () => audit.chain(),
    },
  ]
}

function delivering({ deliverer, mailSender }: JobParts): Job[] {
  return [
    {
      // What was just queued is delivered at once. This finds what is tried again, and what other nodes left behind.
      name: "deliver webhooks",
      everyMs: 2 * secondMs,
      on: "every node",
      run: () => deliverer.poll(),
    },
    {
      name: "send mails",
      everyMs: 2 * secondMs,
      on: "every node",
      isDue: () => mailSender !== undefined,
      run: () => mailSender?.poll(),
    },
  ]
}

/** Streams of watchers and of open screens. */
function keepingOpen({ watch, live }: JobParts): Job[] {
  return [
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
      name: "tell screens which instances run",
      everyMs: 2 * secondMs,
      on: "every node",
      isDue: () => live.size() > 0,
      run: () => live.tellInstances(),
    },
    {
      name: "end what screens follow when their sessions have ended",
      everyMs: secondMs,
      on: "every node",
      run: () => live.endEnded(),
    },
  ]
}
