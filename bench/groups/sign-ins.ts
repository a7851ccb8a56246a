import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { startAttack } from "../attacks/attack.ts"
import { signInStorm, stormEmails } from "../attacks/attacks.ts"
import { type Felt, ownFigures, probe, probeIntervalMs, timesAtRest } from "../attacks/probe.ts"
import { prepareTarget } from "../attacks/target.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, times } from "../report.ts"
import { registration, call as send, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"

export const signIns: Group = {
  name: "sign-ins",
  async run(bench) {
    const section: Section = {
      title: "A storm of sign-ins",
      how: `200 connections sign in all the time, each request from another address and with the right password. What others feel: p99 of a read by key and of a user's list of collections, each asked every ${probeIntervalMs} ms over its own connection, as a storm begins, which is when all 200 come at once, as it goes on after that, and in turns with it. A ratio compares with the quiet p99, or with 2 ms if that is shorter. The storm comes from a process in the kernel's idle class, since it would have its own machines.`,
      columns: ["", "quiet", "as it begins", "times", "as it goes on", "times", "memory"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const metricsPort = await freePort()
  const env = { ENVKEEP_METRICS_PORT: String(metricsPort), ENVKEEP_TRUST_PROXY: "1" }
  const product = await startProduct(bench, await newStoreLocation(bench, engine), { env })
  const stocked = await stock(product, 50)
  const target = await prepareTarget(product, stocked)
  for (const email of stormEmails) {
    await send(product.url, { method: "POST", path: "/users/register", body: { ...registration, email } })
  }
  const memory: number[] = []
  const later: Felt[] = []
  // A p99 of so few calls is one of the slowest two, so it takes many turns until other work on the machine evens out.
  const felt = await byTurns(3 * bench.options.turns, {
    quiet: () => probe(product, stocked),
    async storm() {
      const end = await startAttack(signInStorm.name, target)
      const felt = await probe(product, stocked)
      later.push(await probe(product, stocked))
      memory.push((await ownFigures(metricsPort)).bytes)
      await end()
      return felt
    },
  })
  const bytes = Math.max(...memory)
  const figures = [
    { what: "a read by key", budget: "stormRead", of: ({ readMs }: Felt) => readMs },
    { what: "a call of a user", budget: "stormCall", of: ({ userMs }: Felt) => userMs },
  ] as const
  for (const { what, budget, of } of figures) {
    const [quietMs, beginMs, laterMs] = [felt.quiet.map(of), felt.storm.map(of), later.map(of)].map(median)
    if (quietMs === undefined || beginMs === undefined || laterMs === undefined) return
    const [begin, goingOn] = [timesAtRest(beginMs, quietMs), timesAtRest(laterMs, quietMs)]
    const where = `${engineNames[engine]}, ${what}`
    section.rows.push([
      where,
      milliseconds(quietMs),
      milliseconds(beginMs),
      times(begin),
      milliseconds(laterMs),
      times(goingOn),
      megabytes(bytes),
    ])
    section.held.push(
      hold(budget, `${engineNames[engine]}, as it begins`, begin),
      hold(budget, `${engineNames[engine]}, as it goes on`, goingOn),
    )
  }
  section.held.push(hold("stormMemory", engineNames[engine], bytes / 1e6))
  await product.stop()
}
