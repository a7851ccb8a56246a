import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { attacks } from "../attacks/attacks.ts"
import { type Felt, ownFigures, probe, probeIntervalMs, timesAtRest } from "../attacks/probe.ts"
import { prepareTarget, startAttack } from "../attacks/target.ts"
import { onEachEngine } from "../bench.ts"
import { type BudgetName, hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { megabytes, milliseconds } from "../report.ts"
import { makeStore, serve } from "../served.ts"

/** As on a small machine: what does not fit ends the process. */
const heapMb = 256

const head = {
  title: "One against all",
  how: `What others feel while one caller does its worst: p99 of a read by key and of \`/healthz\`, each asked every ${probeIntervalMs} ms over its own connection, and of a signed-in user's list of collections. The server runs with a heap of 256 MB. The longest pause of the event loop is measured inside it. The attacker is a process of its own in the kernel's idle class, since it would have its own machine. Two seconds after it has ended, the read is measured once more.`,
  columns: ["", "read", "healthz", "user", "longest pause", "memory", "read afterwards"],
}

export const oneAgainstAll = onEachEngine("one-against-all", head, async (bench, engine, section) => {
  const metricsPort = await freePort()
  const env = { ENVKEEP_METRICS_PORT: String(metricsPort) }
  const served = await serve(bench, await makeStore(bench, engine), { env, heapMb })
  const target = await prepareTarget(served)
  const feel = () => probe(served)
  await feel()
  await ownFigures(metricsPort)
  const rest = await feel()
  const own = await ownFigures(metricsPort)
  const add = (name: string, felt: Felt, { pauseMs, bytes }: typeof own, after?: Felt) =>
    section.rows.push([
      `${engineNames[engine]}, ${name}`,
      ...[felt.readMs, felt.healthMs, felt.userMs, pauseMs].map(milliseconds),
      megabytes(bytes),
      after === undefined ? "-" : milliseconds(after.readMs),
    ])
  add("at rest", rest, own)

  const worst = keepWorst()
  for (const { name } of attacks) {
    bench.say(`    ${name}`)
    await ownFigures(metricsPort)
    const endAttack = await startAttack(bench.cleanup, name, target)
    const felt = await feel()
    const figures = await ownFigures(metricsPort)
    await endAttack()
    await wait(2_000)
    const after = await feel()
    add(name, felt, figures, after)
    worst.note("attackedRead", name, timesAtRest(felt.readMs, rest.readMs))
    worst.note("attackedHealth", name, timesAtRest(felt.healthMs, rest.healthMs))
    worst.note("attackedPause", name, figures.pauseMs)
    worst.note("attackedMemory", name, figures.bytes / 1e6)
    worst.note("afterAttack", name, timesAtRest(after.readMs, rest.readMs))
  }
  for (const [budget, { name, measured }] of worst.all) {
    section.held.push(hold(budget, `${engineNames[engine]}, ${name}`, measured))
  }
  await served.stop()
})

/** Of each budget only the attack that comes closest to it. */
function keepWorst() {
  const all = new Map<BudgetName, { name: string; measured: number }>()
  return {
    all,
    note(budget: BudgetName, name: string, measured: number) {
      if (measured > (all.get(budget)?.measured ?? -1)) all.set(budget, { name, measured })
    },
  }
}
