/** What happens to the servers. Callers may notice a `restart` and that the database is `away`; the rest they must not notice. */
export type Happening = "restart" | "away" | "backup" | "rotation"

interface Span {
  kind: Happening
  name: string
  /** Both by `performance.now()`; until it has ended, it has no end. */
  from: number
  to: number
}

/** What happened when. It tells whether a call was made while something was going on. */
export class Timeline {
  #began = performance.now()
  #spans: Span[] = []

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

  /** Since when it happens, or happened, if some of it was between two times. */
  since(kind: Happening, from: number, to = performance.now()): number | undefined {
    return this.#spans.find((span) => span.kind === kind && span.from <= to && span.to >= from)?.from
  }

  /** What is going on now, in words. */
  now(): string {
    const open = this.#spans.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ name }) => name)
    return open.length === 0 ? "no event" : open.join(", ")
  }
}
