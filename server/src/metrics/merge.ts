import type { Family, Sample } from "./family.ts"

/** What one process counted; without its name, only what is counted up is taken, since it may be no more. */
export interface Report {
  worker: string | undefined
  families: Family[]
}

/** Counters and histograms of all processes are summed; gauges are shown for each, but for those that all answer alike. */
export function merge(reports: Report[]): Family[] {
  const merged = new Map<string, { family: Family; samples: Map<string, Sample> }>()
  for (const { worker, families } of reports) {
    for (const family of families) {
      let known = merged.get(family.name)
      if (known === undefined) {
        known = { family, samples: new Map() }
        merged.set(family.name, known)
      }
      for (const sample of family.samples) add(known.samples, family, { worker, sample })
    }
  }
  return Array.from(merged.values(), ({ family, samples }) => ({ ...family, samples: [...samples.values()] }))
}

function add(
  samples: Map<string, Sample>,
  { type, shared }: Family,
  { worker, sample }: { worker: string | undefined; sample: Sample },
): void {
  if (type === "gauge" && worker === undefined) return
  const labels = type === "gauge" && !shared ? { worker: worker ?? "", ...sample.labels } : sample.labels
  const key = JSON.stringify([sample.suffix, labels])
  const sum = type === "gauge" ? 0 : (samples.get(key)?.value ?? 0)
  samples.set(key, { ...sample, labels, value: sum + sample.value })
}
