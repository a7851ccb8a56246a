import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { signInStorm, stormEmails } from "../attacks/attacks.ts"
import { type Felt, ownFigures, probe, probeIntervalMs, timesAtRest } from "../attacks/probe.ts"
import { prepareTarget, startAttack } from "../attacks/target.ts"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { call } from "../client.ts"
import { engineNames } from "../engines.ts"
import { megabytes, milliseconds, times } from "../report.ts"
import { makeStore, serve } from "../served.ts"
import { registration } from "../stock.ts"
import { byTurns, median } from "../turns.ts"

const head = {
  title: "A storm of sign-ins",
  how: `200 connections sign in all the time, each request from another address and with the right password. What others feel: p99 of a read by key and of a user's list of collections, each asked every ${probeIntervalMs} ms over its own connection, as a storm begins, which is when all 200 come at once, as it goes on after that, and in turns with it. A ratio compares with the quiet p99, or with 2 ms if that is shorter. The storm comes from a process in the kernel's idle class, since it would have its own machines.`,
  columns: ["", "quiet", "as it begins", "times", "as it goes on", "times", "memory"],
}

export const signIns = onEachEngine("sign-ins", head, async (bench, engine, section) => {
  const metricsPort = await freePort()
  const env = { ENVKEEP_METRICS_PORT: String(metricsPort), ENVKEEP_TRUST_PROXY: "1" }
  const served = await serve(bench, await makeStore(bench, engine), { env })
  const target = await prepareTarget(served)
  for (const email of stormEmails) {
    await call(served.url, { method: "POST", path: "/users/register", body: { ...registration, email } })
  }
  const memory: number[] = []
  const later: Felt[] = []
  // A p99 of so few calls is one of the slowest two, so it takes many turns until other work on the machine evens out.
  const felt = await byTurns(3 * bench.options.turns, {
    quiet: () => probe(served),
    async storm() {
      const end = await startAttack(bench.cleanup, signInStorm.name, target)
      const felt = await probe(served)
      later.push(await probe(served))
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
    const [quietMs, beginMs, laterMs] = [median(felt.quiet.map(of)), median(felt.storm.map(of)), median(later.map(of))]
    const [begin, goingOn] = [timesAtRest(beginMs, quietMs), timesAtRest(laterMs, quietMs)]
    section.rows.push([
      `${engineNames[engine]}, ${what}`,
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
  await served.stop()
})
