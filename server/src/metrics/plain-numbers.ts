import { Counter, Gauge, type Registry } from "prom-client"
import { withDeadline } from "../db/deadline.ts"

// Numbers are kept where they arise, as plain numbers, and read when the page is asked for: counting costs one addition.

interface PlainMetric {
  name: string
  help: string
  /** Tells the numbers apart, where there are several. */
  label?: string
  /** One number, or one for each value of the label; nothing where there is nothing to show. */
  read(): Numbers | Promise<Numbers>
}

type Numbers = number | Record<string, number> | undefined

export function addCounter(registry: Registry, metric: PlainMetric): void {
  new Counter(configuration(registry, metric))
}

/** A gauge that every worker would answer alike is `shared`, and shown once instead of for each worker. */
export function addGauge(registry: Registry, metric: PlainMetric & { shared?: true }): void {
  new Gauge({ ...configuration(registry, metric), aggregator: metric.shared ? sharedAggregator : "sum" })
}

const readTimeoutMs = 1_000

/** No number if it takes too long or fails. One read at a time: a database that is away must not be asked again and again. */
export function inTime(read: () => Promise<number | undefined>): () => Promise<number | undefined> {
  let reading: Promise<number | undefined> | undefined
  return () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(() => {
        reading = undefined
      })
    return withDeadline(reading, readTimeoutMs, () => undefined)
  }
}

/** How prom-client merges the answers of all workers where they are alike. */
export const sharedAggregator = "first"

function configuration(registry: Registry, { name, help, label, read }: PlainMetric) {
  return {
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    async collect(this: Counter | Gauge) {
      show(this, label, await read())
    },
  }
}

function show(metric: Counter | Gauge, label: string | undefined, numbers: Numbers): void {
  metric.reset()
  // A reset metric without labels is at 0, which is not the same as having no number.
  if (label === undefined) metric.remove()
  if (typeof numbers === "number") metric.inc(numbers)
  else for (const [value, number] of Object.entries(numbers ?? {})) metric.inc({ [label ?? ""]: value }, number)
}
