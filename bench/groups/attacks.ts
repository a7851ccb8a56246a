import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { type Bench, type Cleanup, onEachEngine } from "../bench.ts"
import { attacks, stormEmails, type Target } from "../beside/attacks.ts"
import { startBeside } from "../beside/start.ts"
import type { BudgetName } from "../budgets.ts"
import { register } from "../client.ts"
import { openLine, requestText } from "../line.ts"
import type { Engine } from "../options.ts"
import type { ProductOptions } from "../product.ts"
import { megabytes, milliseconds, times } from "../report.ts"
import { makeStore, type Served, serve } from "../served.ts"
import { readRequest } from "../stock.ts"
import { byTurns, median } from "../turns.ts"

/** Fills the attacker's account. */
export async function prepareTarget({ owner, port, stocked: { key, collectionId } }: Served): Promise<Target> {
  const fill = async (collectionId: number, name: string, value: string) => {
    const subCollectionId = await owner.environment(name, collectionId)
    for (let at = 0; at < 60; at++) {
      await owner.post("/collectionItem", { name: `N_${at}`, value: `x${value}`, subCollectionId })
    }
    return owner.key(subCollectionId)
  }
  const fullCollectionId = await owner.collection("full")
  const fullKey = await fill(fullCollectionId, "one", "\u0001".repeat(65_000))
  for (const name of ["two", "three", "four"]) await fill(fullCollectionId, name, "\u0001".repeat(65_000))
  const quotesKey = await fill(await owner.collection("quotes"), "one", "'".repeat(65_000))
  const scratchId = await owner.environment("scratch", collectionId)
  return { port, cookie: owner.cookie, key, fullCollectionId, fullKey, quotesKey, scratchId }
}

/**
 * Starts an attack, and returns what ends it. Resolves when the attack has begun. An attacker has a machine of its own, so
 * what it has to do must delay neither the server nor the one who measures: it runs only when the machine is idle.
 */
export async function startAttack(cleanup: Cleanup, name: string, target: Target): Promise<() => Promise<void>> {
  const attacker = startBeside(cleanup, { isIdle: true })
  await attacker.ask("attack", { name, target })
  return attacker.end
}

const probeIntervalMs = 5
const samplesForP99 = 200
/** With answers so slow that this is too short, the p99 is simply the slowest. */
const maxProbeMs = 4_000
/** However short the wait at rest is: no reader notices ten times this. */
const unnoticedMs = 2

/** How many times as long as at rest something took. */
const timesAtRest = (feltMs: number, atRestMs: number) => feltMs / Math.max(atRestMs, unnoticedMs)

interface Felt {
  readMs: number
  healthMs: number
  userMs: number
}

/** What a reader by key, a balancer and a signed-in user feel at the same time: the p99 of each. */
async function probe({ port, stocked: { key, cookie } }: Served): Promise<Felt> {
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

/** A server that is attacked, and what it says about itself: the longest pause since it was last asked, and its memory. */
async function serveTarget(bench: Bench, engine: Engine, { env, ...options }: ProductOptions) {
  const metricsPort = await freePort()
  const served = await serve(bench, await makeStore(bench, engine), {
    ...options,
    env: { ...env, ENVKEEP_METRICS_PORT: String(metricsPort) },
  })
  const target = await prepareTarget(served)
  const ownFigures = async () => {
    const page = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
    const read = (name: string) => Number(new RegExp(`^${name} (\\S+)`, "m").exec(page)?.[1])
    return {
      pauseMs: read('envkeep_event_loop_delay_seconds\\{of="max"\\}') * 1000,
      bytes: read("process_resident_memory_bytes"),
    }
  }
  return { served, ownFigures, attack: (name: string) => startAttack(bench.cleanup, name, target) }
}

/** As on a small machine: what does not fit ends the process. */
const heapMb = 256

const oneAgainstAllHead = {
  title: "One against all",
  how: `What others feel while one caller does its worst: p99 of a read by key and of \`/healthz\`, each asked every ${probeIntervalMs} ms over its own connection, and of a signed-in user's list of collections. The server runs with a heap of 256 MB. The longest pause of the event loop is measured inside it. The attacker is a process of its own in the kernel's idle class, since it would have its own machine. Two seconds after it has ended, the read is measured once more.`,
  columns: ["", "read", "healthz", "user", "longest pause", "memory", "read afterwards"],
}

export const oneAgainstAll = onEachEngine("one-against-all", oneAgainstAllHead, async (bench, engine, rows) => {
  const { served, ownFigures, attack } = await serveTarget(bench, engine, { heapMb })
  await probe(served)
  await ownFigures()
  const rest = await probe(served)
  const own = await ownFigures()
  const add = (name: string, felt: Felt, { pauseMs, bytes }: typeof own, afterwards: string) => {
    const all = [felt.readMs, felt.healthMs, felt.userMs, pauseMs]
    rows.add(name, ...all.map(milliseconds), megabytes(bytes), afterwards)
  }
  add("at rest", rest, own, "-")

  // Of each budget only the attack that comes closest to it.
  const worst = new Map<BudgetName, { name: string; measured: number }>()
  for (const name of Object.keys(attacks)) {
    bench.say(`    ${name}`)
    await ownFigures()
    const endAttack = await attack(name)
    const felt = await probe(served)
    const figures = await ownFigures()
    await endAttack()
    await wait(2_000)
    const after = await probe(served)
    add(name, felt, figures, milliseconds(after.readMs))
    for (const [budget, measured] of [
      ["attackedRead", timesAtRest(felt.readMs, rest.readMs)],
      ["attackedHealth", timesAtRest(felt.healthMs, rest.healthMs)],
      ["attackedPause", figures.pauseMs],
      ["attackedMemory", figures.bytes / 1e6],
      ["afterAttack", timesAtRest(after.readMs, rest.readMs)],
    ] as const) {
      if (measured > (worst.get(budget)?.measured ?? -1)) worst.set(budget, { name, measured })
    }
  }
  for (const [budget, { name, measured }] of worst) rows.hold(budget, name, measured)
  await served.stop()
})

const signInsHead = {
  title: "A storm of sign-ins",
  how: `200 connections sign in all the time, each request from another address and with the right password. What others feel: p99 of a read by key and of a user's list of collections, each asked every ${probeIntervalMs} ms over its own connection, as a storm begins, which is when all 200 come at once, as it goes on after that, and in turns with it. A ratio compares with the quiet p99, or with 2 ms if that is shorter. The storm comes from a process in the kernel's idle class, since it would have its own machines.`,
  columns: ["", "quiet", "as it begins", "times", "as it goes on", "times", "memory"],
}

export const signIns = onEachEngine("sign-ins", signInsHead, async (bench, engine, rows) => {
  const { served, ownFigures, attack } = await serveTarget(bench, engine, { env: { ENVKEEP_TRUST_PROXY: "1" } })
  for (const email of stormEmails) await register(served.url, email)
  const memory: number[] = []
  const later: Felt[] = []
  // A p99 of so few calls is one of the slowest two, so it takes many turns until other work on the machine evens out.
  const { quiet, storm } = await byTurns(3 * bench.options.turns, {
    quiet: () => probe(served),
    async storm() {
      const end = await attack("sign-ins")
      const felt = await probe(served)
      later.push(await probe(served))
      memory.push((await ownFigures()).bytes)
      await end()
      return felt
    },
  })

  const bytes = Math.max(...memory)
  for (const [what, budget, of] of [
    ["a read by key", "stormRead", ({ readMs }: Felt) => readMs],
    ["a call of a user", "stormCall", ({ userMs }: Felt) => userMs],
  ] as const) {
    const [quietMs, beginMs, laterMs] = [median(quiet.map(of)), median(storm.map(of)), median(later.map(of))]
    const cells = [beginMs, laterMs].flatMap((ms) => [milliseconds(ms), times(timesAtRest(ms, quietMs))])
    rows.add(what, milliseconds(quietMs), ...cells, megabytes(bytes))
    rows.hold(budget, "as it begins", timesAtRest(beginMs, quietMs))
    rows.hold(budget, "as it goes on", timesAtRest(laterMs, quietMs))
  }
  rows.hold("stormMemory", "", bytes / 1e6)
  await served.stop()
})
