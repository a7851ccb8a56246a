import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { startAttack } from "../attacks/attack.ts"
import { attacks } from "../attacks/attacks.ts"
import { prepareTarget } from "../attacks/target.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { type Product, startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section } from "../report.ts"
import { readRequest, type Stock, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"

const probeIntervalMs = 5
/** As on a small machine: what does not fit ends the process. */
const heapMb = 256
const samplesForP99 = 200
/** With answers so slow that this is too short, the p99 is simply the slowest. */
const maxProbeMs = 4_000
/** However short the wait at rest is: a wait that no reader notices. */
const unnoticedMs = 20

export const oneAgainstAll: Group = {
  name: "one-against-all",
  async run(bench) {
    const section: Section = {
      title: "One against all",
      how: `What others feel while one caller does its worst: p99 of a read by key and of \`/healthz\`, each asked every ${probeIntervalMs} ms over its own connection, and of a signed-in user's list of collections. The server runs with a heap of 256 MB. The longest pause of the event loop is measured inside it. The attacker is a process of its own with the lowest priority, since it would have its own machine. Two seconds after it has ended, the read is measured once more.`,
      columns: ["", "read", "healthz", "user", "longest pause", "memory", "read afterwards"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await attackAll(bench, engine, section)
    return [section]
  },
}

async function attackAll(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const metricsPort = await freePort()
  const env = { ENVKEEP_METRICS_PORT: String(metricsPort) }
  const product = await startProduct(bench, await newStoreLocation(bench, engine), { env, heapMb })
  const stocked = await stock(product, 50)
  const target = await prepareTarget(product, stocked)
  const feel = () => probe(product, stocked)
  await feel()
  await ownFigures(metricsPort)
  const rest = await feel()
  const own = await ownFigures(metricsPort)
  const add = (name: string, felt: Felt, pauseMs: number, bytes: number, afterMs?: number) =>
    section.rows.push([
      `${engineNames[engine]}, ${name}`,
      ...[felt.readMs, felt.healthMs, felt.userMs, pauseMs].map(milliseconds),
      megabytes(bytes),
      afterMs === undefined ? "-" : milliseconds(afterMs),
    ])
  add("at rest", rest, own.pauseMs, own.bytes)

  const worst = keepWorst()
  for (const { name } of attacks) {
    bench.say(`${engineNames[engine]}, ${name}`)
    await ownFigures(metricsPort)
    const endAttack = await startAttack(name, target)
    const felt = await feel()
    const { pauseMs, bytes } = await ownFigures(metricsPort)
    await endAttack()
    await wait(2_000)
    const after = await feel()
    add(name, felt, pauseMs, bytes, after.readMs)
    const times = (felt: number, atRest: number) => felt / Math.max(atRest, unnoticedMs / 10)
    worst.note("attackedRead", name, times(felt.readMs, rest.readMs))
    worst.note("attackedHealth", name, times(felt.healthMs, rest.healthMs))
    worst.note("attackedPause", name, pauseMs)
    worst.note("attackedMemory", name, bytes / 1e6)
    worst.note("afterAttack", name, times(after.readMs, rest.readMs))
  }
  for (const [budget, { name, measured }] of worst.all) {
    section.held.push(hold(budget, `${engineNames[engine]}, ${name}`, measured))
  }
  await product.stop()
}

type Budget = Parameters<typeof hold>[0]

/** Of each budget only the attack that comes closest to it. */
function keepWorst() {
  const all = new Map<Budget, { name: string; measured: number }>()
  return {
    all,
    note(budget: Budget, name: string, measured: number) {
      if (measured > (all.get(budget)?.measured ?? -1)) all.set(budget, { name, measured })
    },
  }
}

interface Felt {
  readMs: number
  healthMs: number
  userMs: number
}

/** What a reader by key, a balancer and a signed-in user feel at the same time: the p99 of each. */
async function probe({ port }: Product, { key, cookie }: Stock): Promise<Felt> {
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
async function ownFigures(metricsPort: number): Promise<{ pauseMs: number; bytes: number }> {
  const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(page)?.[1])
  return {
    pauseMs: read('envkeep_event_loop_delay_seconds\\{of="max"\\}') * 1000,
    bytes: read("process_resident_memory_bytes"),
  }
}
