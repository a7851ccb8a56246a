import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { startAttack } from "../attacks/attack.ts"
import { attacks } from "../attacks/attacks.ts"
import { type Felt, ownFigures, probe, probeIntervalMs, timesAtRest } from "../attacks/probe.ts"
import { prepareTarget } from "../attacks/target.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section } from "../report.ts"
import { stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"

/** As on a small machine: what does not fit ends the process. */
const heapMb = 256

export const oneAgainstAll: Group = {
  name: "one-against-all",
  async run(bench) {
    const section: Section = {
      title: "One against all",
      how: `What others feel while one caller does its worst: p99 of a read by key and of \`/healthz\`, each asked every ${probeIntervalMs} ms over its own connection, and of a signed-in user's list of collections. The server runs with a heap of 256 MB. The longest pause of the event loop is measured inside it. The attacker is a process of its own in the kernel's idle class, since it would have its own machine. Two seconds after it has ended, the read is measured once more.`,
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
    worst.note("attackedRead", name, timesAtRest(felt.readMs, rest.readMs))
    worst.note("attackedHealth", name, timesAtRest(felt.healthMs, rest.healthMs))
    worst.note("attackedPause", name, pauseMs)
    worst.note("attackedMemory", name, bytes / 1e6)
    worst.note("afterAttack", name, timesAtRest(after.readMs, rest.readMs))
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
