import type { BudgetName } from "../budgets.ts"

/** What happens to the servers. Callers may notice a `restart` and that the database is `away`; the rest they must not notice. */
export type Happening = "restart" | "away" | "backup" | "rotation"

interface Span {
  kind: Happening
  name: string
  /** Both by `performance.now()`; until it has ended, it has no end. */
  from: number
  to: number
}

/** What was wrong, with what is needed to find its cause. */
interface Finding {
  rule: BudgetName
  what: string
  /** When it was found first, in seconds since the run began. */
  seconds: number
  /** What happened to the servers at that moment. */
  during: string
  times: number
}

const shownLength = 200
const shownFindings = 40

/** What happened to the servers when, and what was wrong. */
export class Journal {
  #began = performance.now()
  #spans: Span[] = []
  #findings = new Map<string, Finding>()

  seconds(): number {
    return (performance.now() - this.#began) / 1000
  }

  /** Something happens, until the work has ended. */
  async during(kind: Happening, name: string, work: () => Promise<unknown>): Promise<void> {
    const span = { kind, name, from: performance.now(), to: Number.POSITIVE_INFINITY }
    this.#spans.push(span)
    try {
      await work()
    } finally {
      span.to = performance.now()
    }
  }

  /** Since when it happens, or happened, if some of it was since then. */
  since(kind: Happening, from: number): number | undefined {
    return this.#spans.find((span) => span.kind === kind && span.to >= from)?.from
  }

  /** What is going on now, in words. */
  now(): string {
    const open = this.#spans.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ name }) => name)
    return open.length === 0 ? "no event" : open.join(", ")
  }

  note(rule: BudgetName, text: string): void {
    const what = text.slice(0, 2 * shownLength)
    const known = this.#findings.get(`${rule} ${what}`)
    if (known !== undefined) known.times++
    else this.#findings.set(`${rule} ${what}`, { rule, what, seconds: this.seconds(), during: this.now(), times: 1 })
  }

  /** How often this rule was broken, or any. */
  count(rule?: BudgetName): number {
    const all = [...this.#findings.values()].filter((one) => rule === undefined || one.rule === rule)
    return all.reduce((sum, { times }) => sum + times, 0)
  }

  /** The first of them, one a line. */
  lines(): string[] {
    const all = [...this.#findings.values()].slice(0, shownFindings)
    return all.map(
      ({ rule, what, seconds, during, times }) =>
        `${rule}, ${times} times from ${seconds.toFixed(0)} s on, ${during}: ${what}`,
    )
  }
}

/** A call and its answer, in one line. */
export function described({ method = "GET", path }: { method?: string; path: string }, status: number, text: string) {
  return `${method} ${path.replaceAll(/\d+/g, "n")}: ${status} ${text.slice(0, shownLength)}`
}
