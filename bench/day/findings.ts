import type { Timeline } from "./timeline.ts"

/** What must hold during the whole run. */
export const rules = {
  read: "no read by key fails",
  fresh: "no read by key is wrong, or shows what was replaced more than a second before",
  stale: "reads are marked stale only while the database is away",
  lost: "no confirmed write is lost",
  call: "no other call fails, except as documented for a restart and while the database is away",
  watch: "every watcher gets the newest values",
  webhook: "every change reaches the webhooks, signed and in order",
  event: "every restart, backup, rotation, fail-over and check succeeds",
} as const
export type Rule = keyof typeof rules

/** One violation, with what is needed to find its cause. */
export interface Finding {
  rule: Rule
  seconds: number
  /** What happened to the servers at that moment. */
  during: string
  what: string
}

const shownLength = 200

export function createFindings(timeline: Pick<Timeline, "seconds" | "now">) {
  const all: Finding[] = []
  return {
    all,
    note(rule: Rule, what: string): void {
      all.push({ rule, seconds: timeline.seconds(), during: timeline.now(), what: what.slice(0, 2 * shownLength) })
    },
  }
}

export type Findings = ReturnType<typeof createFindings>

/** A call and its answer, in one line. */
export function described({ method = "GET", path }: { method?: string; path: string }, status: number, text: string) {
  return `${method} ${path}: ${status} ${text.slice(0, shownLength)}`
}
