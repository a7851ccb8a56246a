import type { Labels, Sample } from "./family.ts"

export interface Counts {
  add(labels: Labels): void
  samples(): Sample[]
}

/** A counter for each set of labels that has occurred. */
export function createCounts(): Counts {
  const counts = new Map<string, Sample>()
  return {
    add(labels) {
      const key = Object.values(labels).join(" ")
      const known = counts.get(key)
      if (known === undefined) counts.set(key, { labels, value: 1 })
      else known.value++
    },
    samples: () => [...counts.values()],
  }
}

export interface Durations {
  observe(labels: Labels, milliseconds: number): void
  samples(): Sample[]
}

interface Series {
  labels: Labels
  /** How many fell into each bucket alone; the last one is for what is over every bound. */
  counts: number[]
  sum: number
}

/** Bounds in seconds, from what memory answers in to what nobody waits for. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A histogram for each set of labels that has occurred. */
export function createDurations(): Durations {
  const all = new Map<string, Series>()
  return {
    observe(labels, milliseconds) {
      const seconds = milliseconds / 1000
      const key = Object.values(labels).join(" ")
      let series = all.get(key)
      if (series === undefined) {
        series = { labels, counts: Array(bounds.length + 1).fill(0), sum: 0 }
        all.set(key, series)
      }
      const over = bounds.findIndex((bound) => seconds <= bound)
      const at = over === -1 ? bounds.length : over
      series.counts[at] = (series.counts[at] ?? 0) + 1
      series.sum += seconds
    },
    samples: () => [...all.values()].flatMap(cumulated),
  }
}

/** On the page a bucket holds all that the smaller ones hold too. */
function cumulated({ labels, counts, sum }: Series): Sample[] {
  let count = 0
  const buckets = counts.map((inBucket, at): Sample => {
    count += inBucket
    return { suffix: "_bucket", labels: { ...labels, le: String(bounds[at] ?? "+Inf") }, value: count }
  })
  return [...buckets, { suffix: "_sum", labels, value: sum }, { suffix: "_count", labels, value: count }]
}
