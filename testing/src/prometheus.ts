import { expect } from "vitest"

/** A parsed page; its series are named as printed, `name{labels}`. */
export interface Page {
  text: string
  names: string[]
  value(series: string): number
  /** The labels of each series of a name. */
  seriesOf(name: string): Record<string, string>[]
  /** The sum over all series of one name that have these labels. */
  sum(name: string, labels?: Record<string, string>): number
}

interface Series {
  name: string
  labels: Record<string, string>
  value: number
}

const label = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*"`
const line = new RegExp(
  String.raw`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(${label}(?:,${label})*)\})? ([0-9.e+-]+|NaN|[+-]Inf)$`,
)

export async function readMetrics(port: number): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  expect(response.status).toBe(200)
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8")
  return parsePage(await response.text())
}

/** Accepts the text format 0.0.4 as we mean to write it, and nothing looser. */
export function parsePage(text: string): Page {
  expect(text.endsWith("\n")).toBe(true)
  const all = new Map<string, Series>()
  const names: string[] = []
  const blocks = text.split(/^(?=# HELP )/m)
  for (const block of blocks) {
    const [help = "", type = "", ...lines] = block.trimEnd().split("\n")
    const name = /^# HELP ([a-z_]+) \S.*$/.exec(help)?.[1] ?? ""
    const kind = /^# TYPE ([a-z_]+) (counter|gauge|histogram)$/.exec(type)
    expect([name, kind?.[1]], block).toEqual([expect.stringMatching(/./), name])
    expect(names, "each name once").not.toContain(name)
    expect(name.endsWith("_total"), name).toBe(kind?.[2] === "counter")
    names.push(name)
    const series = lines.map((text) => parseLine(text, name, kind?.[2] ?? ""))
    for (const [at, one] of series.entries()) {
      const key = (lines[at] ?? "").slice(0, (lines[at] ?? "").lastIndexOf(" "))
      expect(all.has(key), `${key} twice`).toBe(false)
      all.set(key, one)
    }
    if (kind?.[2] === "histogram") checkHistogram(name, series)
  }
  return {
    text,
    names,
    value(series) {
      const found = all.get(series)
      if (found === undefined) throw new Error(`the page has no ${series}`)
      return found.value
    },
    seriesOf: (name) => [...all.values()].filter((one) => one.name === name).map(({ labels }) => labels),
    sum: (name, labels = {}) =>
      [...all.values()]
        .filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value))
        .reduce((sum, { value }) => sum + value, 0),
  }
}

function parseLine(text: string, family: string, type: string): Series {
  const found = line.exec(text)
  if (found === null) throw new Error(`not a line of the format: ${text}`)
  const [, name = "", labels = "", value = ""] = found
  const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""]
  expect(suffixes.map((suffix) => family + suffix)).toContain(name)
  const pairs = Array.from(labels.matchAll(new RegExp(label, "g")), ([pair]) => {
    const at = pair.indexOf("=")
    return [pair.slice(0, at), JSON.parse(pair.slice(at + 1))] as const
  })
  expect(new Set(pairs.map(([key]) => key)).size, text).toBe(pairs.length)
  return { name, labels: Object.fromEntries(pairs), value: Number(value.replace("Inf", "Infinity")) }
}

/** Buckets that grow and end at +Inf with the count itself, for each set of labels. */
function checkHistogram(name: string, series: Series[]): void {
  const groups = new Map<string, Series[]>()
  for (const one of series) {
    const { le: _, ...labels } = one.labels
    const key = JSON.stringify(labels)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  for (const group of groups.values()) {
    const buckets = group.filter((one) => one.name === `${name}_bucket`)
    const bounds = buckets.map(({ labels }) => Number(labels["le"]?.replace("Inf", "Infinity")))
    const counts = buckets.map(({ value }) => value)
    expect(bounds).toEqual(bounds.toSorted((a, b) => a - b))
    expect(bounds.at(-1)).toBe(Number.POSITIVE_INFINITY)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(group.slice(buckets.length).map((one) => one.name)).toEqual([`${name}_sum`, `${name}_count`])
    expect(group.at(-1)?.value).toBe(counts.at(-1))
  }
}
