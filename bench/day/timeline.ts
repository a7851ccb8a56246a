/** What happens to the servers. Callers may notice a `restart` and that the database is `away`; the rest they must not notice. */
export type Happening = "restart" | "away" | "backup" | "rotation"

export interface Span {
  kind: Happening
  name: string
  /** Both by `performance.now()`; until it has ended, it has no end. */
  from: number
  to: number
}

/** What happened when. It tells whether a call was made while something was going on. */
export function createTimeline() {
  const began = performance.now()
  const spans: Span[] = []
  return {
    spans,
    seconds: () => (performance.now() - began) / 1000,
    /** Notes that something begins; the returned function notes its end. */
    begin(kind: Happening, name: string): () => void {
      const span = { kind, name, from: performance.now(), to: Number.POSITIVE_INFINITY }
      spans.push(span)
      return () => {
        span.to = performance.now()
      }
    },
    /** Whether some of it happened between two times. */
    overlaps: (kind: Happening, from: number, to: number) =>
      spans.some((span) => span.kind === kind && span.from <= to && span.to >= from),
    /** Since when the database is away, or was, at some time between the two. */
    awaySince: (from: number, to: number) =>
      spans.find((span) => span.kind === "away" && span.from <= to && span.to >= from)?.from,
    /** What is going on now, in words. */
    now(): string {
      const open = spans.filter(({ to }) => to === Number.POSITIVE_INFINITY).map(({ name }) => name)
      return open.length === 0 ? "no event" : open.join(", ")
    },
  }
}

export type Timeline = ReturnType<typeof createTimeline>
