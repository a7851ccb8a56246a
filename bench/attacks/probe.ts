import { setTimeout as wait } from "node:timers/promises"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import type { Served } from "../served.ts"
import { readRequest } from "../stock.ts"

export const probeIntervalMs = 5
const samplesForP99 = 200
/** With answers so slow that this is too short, the p99 is simply the slowest. */
const maxProbeMs = 4_000
/** However short the wait at rest is: no reader notices ten times this. */
const unnoticedMs = 2

/** How many times as long as at rest something took. */
export function timesAtRest(feltMs: number, atRestMs: number): number {
  return feltMs / Math.max(atRestMs, unnoticedMs)
}

export interface Felt {
  readMs: number
  healthMs: number
  userMs: number
}

/** What a reader by key, a balancer and a signed-in user feel at the same time: the p99 of each. */
export async function probe({ port, stocked: { key, cookie } }: Served): Promise<Felt> {
  const [readMs, healthMs, userMs] = await Promise.all([
    p99(port, readRequest(key)),
    p99(port, requestText({ path: "/healthz" })),
    p99(port, requestText({ path: "/api/collection", headers: { cookie } })),
  ])
  return { readMs, healthMs, userMs }
}

async function p99(port: number, request: string): Promise<number> {
  const line = await openLine(port)
  const all: number[] = []
  const began = performance.now()
  while (all.length < samplesForP99 && performance.now() - began < maxProbeMs) {
    all.push((await line.ask(request, 200)).ms)
    await wait(probeIntervalMs)
  }
  line.close()
  return all.toSorted((a, b) => a - b)[Math.floor(all.length * 0.99)] ?? Number.NaN
}

/** The longest pause since it was last asked, and the memory held, as the server itself says. */
export async function ownFigures(metricsPort: number): Promise<{ pauseMs: number; bytes: number }> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(page)?.[1])
  return {
    pauseMs: read('envkeep_event_loop_delay_seconds\\{of="max"\\}') * 1000,
    bytes: read("process_resident_memory_bytes"),
  }
}
