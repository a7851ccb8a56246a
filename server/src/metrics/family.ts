/** One metric, as a page shows it and as processes hand it to each other. */
export interface Family {
  name: string
  help: string
  type: "counter" | "gauge" | "histogram"
  /** Every process would answer alike, as on what is in the store: shown once, not for each of them. */
  shared?: true
  samples: Sample[]
}

export interface Sample {
  suffix?: "_bucket" | "_sum" | "_count"
  labels: Labels
  value: number
}

/** Only what we wrote ourselves (routes, methods, kinds) may be a label; never a name, an id, a value or an address. */
export type Labels = Record<string, string>

export function counter(name: string, help: string, values: number | Sample[]): Family {
  return { name, help, type: "counter", samples: samplesOf(values) }
}

export function gauge(name: string, help: string, values: number | Sample[]): Family {
  return { name, help, type: "gauge", samples: samplesOf(values) }
}

export function histogram(name: string, help: string, samples: Sample[]): Family {
  return { name, help, type: "histogram", samples }
}

/** One sample for each entry, told apart by one label. */
export function by(label: string, values: Record<string, number>): Sample[] {
  return Object.entries(values).map(([of, value]) => ({ labels: { [label]: of }, value }))
}

function samplesOf(values: number | Sample[]): Sample[] {
  return typeof values === "number" ? [{ labels: {}, value: values }] : values
}
