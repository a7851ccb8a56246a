import { setTimeout as wait } from "node:timers/promises"
import { prepareTarget } from "../attacks/target.ts"
import type { Bench } from "../bench.ts"
import { startProduct } from "../product.ts"
import { stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { createClient } from "./client.ts"
import { createCrowd } from "./crowd.ts"
import { attackInTurns } from "./hostile.ts"
import type { SoakOptions } from "./options.ts"
import { owner } from "./owner.ts"
import { startProbe } from "./probe.ts"
import { createRandom } from "./random.ts"
import { type Held, look, settled } from "./sample.ts"
import { checked, createTally } from "./tally.ts"
import type { Outcome } from "./verdict.ts"

/** What happened in one interval. */
export interface Interval extends Held {
  seconds: number
  callsPerSecond: number
  faults: number
  idle: number
  readMs: number[]
}

const owners = 8
const intervals = 60
/** As parts of the run: when the idle connections open and close, both within the first third. */
const idleFrom = 0.08
const idleUntil = 0.3

/** Mixed traffic against the product in its own process, next to clients that misbehave. */
export async function soak(
  bench: Pick<Bench, "cleanup" | "postgres">,
  options: SoakOptions,
  tell: (interval: Interval) => void = () => undefined,
): Promise<Outcome> {
  const location = await newStoreLocation(bench, options.engine)
  const env = { ENVKEEP_TRUST_PROXY: "1" }
  const maker = await startProduct(bench, location, { env })
  const stocked = await stock(maker, 200)
  const { key } = stocked
  const target = await prepareTarget(maker, stocked)
  await maker.stop()
  const product = await startProduct(bench, location, { env })
  // On PostgreSQL, a node always keeps the connection on which it listens.
  const before = await settled(
    () => look(product, location),
    ({ connections }) => connections <= 1,
  )

  const tally = createTally()
  const client = createClient(product.port)
  const crowd = createCrowd(product.port, key, createRandom(options.seed))
  const probe = startProbe(product.port, key)
  const began = performance.now()
  const totalMs = options.minutes * 60_000
  const isOn = () => performance.now() - began < totalMs
  const traffic = Array.from({ length: owners }, (_, n) =>
    owner(
      { call: (ask, expected) => checked(client, tally, ask, expected), isOn, pauseMs: 20 },
      createRandom(options.seed * 1_000 + n),
      n,
    ),
  )
  const attacking = attackInTurns({ ...target, port: product.port }, isOn)
  crowd.begin()
  const opening = wait(totalMs * idleFrom).then(() => crowd.openIdle(options.idle))

  const rss: number[] = []
  let [calls, mostIdle, slowestReadMs] = [0, 0, 0]
  for (let n = 1; n <= intervals; n++) {
    await wait(Math.max(0, began + (totalMs * n) / intervals - performance.now()))
    const held = await look(product, location)
    const readMs = probe.take()
    rss.push(held.rss)
    mostIdle = Math.max(mostIdle, crowd.idle())
    slowestReadMs = Math.max(slowestReadMs, ...readMs)
    const faults = [...tally.faults.values()].reduce((sum, count) => sum + count, 0)
    const callsPerSecond = ((tally.calls - calls) / totalMs) * intervals * 1000
    tell({ ...held, seconds: (performance.now() - began) / 1000, callsPerSecond, faults, idle: crowd.idle(), readMs })
    calls = tally.calls
    if (n / intervals >= idleUntil) crowd.closeIdle()
    mostIdle = Math.max(mostIdle, crowd.idle())
  }
  await Promise.all([...traffic, attacking])
  await probe.stop()
  await Promise.all([opening, crowd.end()])
  client.close()
  const after = await settled(
    () => look(product, location),
    ({ files, connections }) => files <= before.files && connections <= before.connections,
  )
  await product.stop()
  return {
    rss,
    calls: tally.calls,
    faults: tally.faults,
    before,
    after,
    slowestReadMs,
    idle: { opened: mostIdle, wanted: options.idle },
  }
}
