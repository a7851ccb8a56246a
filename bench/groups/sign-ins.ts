import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { startAttack } from "../attacks/attack.ts"
import { signInStorm, stormEmails } from "../attacks/attacks.ts"
import { ownFigures, probe, probeIntervalMs, timesAtRest } from "../attacks/probe.ts"
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
      how: `200 connections sign in all the time, each request from another address and with the right password. What others feel: p99 of a read by key and of a user's list of collections, each asked every ${probeIntervalMs} ms over its own connection, in the storm and in turns with it. A ratio compares with the quiet p99, or with 2 ms if that is shorter. The storm comes from a process with the lowest priority, since it would have its own machines.`,
      columns: ["", "read, quiet", "in the storm", "times", "call, quiet", "in the storm", "times", "memory"],
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
  // A p99 of so few calls is one of the slowest two, so it takes many turns until other work on the machine evens out.
  const felt = await byTurns(3 * bench.options.turns, {
    quiet: () => probe(product, stocked),
    async storm() {
      const end = await startAttack(signInStorm.name, target)
      const felt = await probe(product, stocked)
      memory.push((await ownFigures(metricsPort)).bytes)
      await end()
      return felt
    },
  })
  const [quiet, storm] = [felt.quiet, felt.storm].map((turns) => ({
    readMs: median(turns.map(({ readMs }) => readMs)),
    userMs: median(turns.map(({ userMs }) => userMs)),
  }))
  if (quiet === undefined || storm === undefined) return
  const [read, call] = [timesAtRest(storm.readMs, quiet.readMs), timesAtRest(storm.userMs, quiet.userMs)]
  const bytes = Math.max(...memory)
  section.rows.push([
    engineNames[engine],
    milliseconds(quiet.readMs),
    milliseconds(storm.readMs),
    times(read),
    milliseconds(quiet.userMs),
    milliseconds(storm.userMs),
    times(call),
    megabytes(bytes),
  ])
  section.held.push(
    hold("stormRead", engineNames[engine], read),
    hold("stormCall", engineNames[engine], call),
    hold("stormMemory", engineNames[engine], bytes / 1e6),
  )
  await product.stop()
}
