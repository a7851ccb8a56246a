import { availableParallelism } from "node:os"
import { type Bench, emptySection, type Group, onEachEngine, type Section } from "../bench.ts"
import { startBeside } from "../beside/start.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../line.ts"
import { cpuSeconds } from "../machine.ts"
import { type Engine, engineNames } from "../options.ts"
import { milliseconds, times, whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, type Served, serve, serveNew } from "../served.ts"
import { readRequest, readText } from "../stock.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

const connectionCounts = [1, 16, 64]
const bare = "bare node:http"

interface Contender {
  name: string
  port: number
  /** The same for all, with the key, but for the port and the ETag. */
  request: Record<200 | 304, string>
}

export const read: Group = {
  name: "read",
  async run(bench) {
    const contenders: Contender[] = []
    const add = async (name: string, port: number, key: string) => {
      const line = await openLine(port)
      const { head } = await line.ask(readRequest(key), 200)
      line.close()
      const etag = /\r\netag: *(\S+)/i.exec(head)?.[1] ?? '"1-1-json"'
      contenders.push({ name, port, request: { 200: readRequest(key), 304: readRequest(key, etag) } })
    }
    let [body, key] = ["", ""]
    for (const engine of bench.options.engines) {
      const { url, port, stocked } = await serveNew(bench, engine)
      key = stocked.key
      body = await readText(url, key)
      await add(`Envkeep on ${engineNames[engine]}`, port, key)
    }
    await add(bare, await startBeside(bench.cleanup).ask("bytes", { body }), key)
    return [await race(bench, contenders, 200), await race(bench, contenders, 304)]
  },
}

async function race(bench: Bench, contenders: Contender[], status: 200 | 304): Promise<Section> {
  const { turns, seconds } = bench.options.race
  const section = emptySection({
    title: status === 200 ? "Read by key" : "Read by key, nothing changed (304)",
    how: `An environment of 50 variables, read over 1, 16 and 64 connections in ${turns} turns of ${seconds} s: answers a second, their ratio to bare \`node:http\` with the same bytes, and the 99th percentile of the time to an answer.`,
    columns: ["", ...connectionCounts.flatMap((count) => [`${count} conn., 1/s`, "of bare", "p99"])],
  })
  section.rows = contenders.map(({ name }) => [name])
  for (const connections of connectionCounts) {
    bench.say(`  ${status}, ${connections} connections`)
    const loads = contenders.map(({ name, port, request }) => [
      name,
      () => bench.load({ port, request: request[status], status, connections, seconds }),
    ])
    const results: Awaited<ReturnType<typeof byTurns<string, { perSecond: number; p99: number }>>> = await byTurns(
      turns,
      Object.fromEntries(loads),
    )
    const rates = (name: string) => (results[name] ?? []).map(({ perSecond }) => perSecond)
    const p99s = (name: string) => (results[name] ?? []).map(({ p99 }) => p99)
    for (const [at, { name }] of contenders.entries()) {
      const ratio = medianRatio(rates(name), rates(bare))
      section.rows[at]?.push(whole(median(rates(name))), times(ratio), milliseconds(median(p99s(name))))
      if (connections !== 64 || name === bare) continue
      section.held.push(
        hold(status === 200 ? "read" : "notModified", name, ratio),
        hold(status === 200 ? "readP99" : "notModifiedP99", name, medianRatio(p99s(name), p99s(bare))),
      )
    }
  }
  return section
}

export const workers = onEachEngine(
  "workers",
  (bench) => ({
    title: "More than one process (ENVKEEP_WORKERS)",
    how: `Reads over 64 connections, in ${2 * bench.options.turns} turns. Measured: reads a second, and their ratio to one process, on the same ${availableParallelism()} cores as the load generator, which takes up to one of them; and the reads for each second of processor time that the product used. Computed, not measured: the ratio if every process had a core to itself, which is the number of processes times the ratio of reads per CPU second. The budget takes the measured ratio where there are more than two cores. On two cores the generator has no core of its own, so the budget takes the computed one.`,
    columns: ["", "reads/s", "of one, measured", "reads per CPU s", "of one, computed"],
  }),
  async (bench, engine, rows) => {
    const [one, two] = [await processes(bench, engine, 1), await processes(bench, engine, 2)]
    const results = await byTurns(2 * bench.options.turns, { one, two })
    const rates = (name: "one" | "two") => results[name].map(({ perSecond }) => perSecond)
    const costs = (name: "one" | "two") => results[name].map(({ perCpuSecond }) => perCpuSecond)
    const measured = medianRatio(rates("two"), rates("one"))
    const computed = 2 * medianRatio(costs("two"), costs("one"))
    for (const [name, what, ...ratios] of [
      ["one", "one process", 1, 1],
      ["two", "two processes", measured, computed],
    ] as const) {
      rows.add(what, whole(median(rates(name))), times(ratios[0]), whole(median(costs(name))), times(ratios[1]))
    }
    // On two cores, the measured ratio says how much of them the generator leaves to the product.
    if (availableParallelism() > 2) rows.hold("workers", "measured", measured)
    else rows.hold("workers", "computed from processor time", computed)
  },
)

async function processes(bench: Bench, engine: Engine, count: number) {
  const { port, pid, stocked } = await serve(bench, await makeStore(bench, engine), { workers: count })
  return async () => {
    const before = cpuSeconds(pid)
    const began = performance.now()
    const { perSecond } = await bench.load({ port, request: readRequest(stocked.key) })
    const took = (performance.now() - began) / 1000
    return { perSecond, perCpuSecond: (perSecond * took) / (cpuSeconds(pid) - before) }
  }
}

const coldReadHead = {
  title: "First read after a change",
  how: "50 variables, one connection. One item is changed before each read, so memory holds no finished answer. For comparison: the same two queries on the bare driver, behind a bare `node:http` server on the same store and after the same kind of change (it decrypts and prints nothing; its bytes are prepared). A read from memory shows the cost of the round trip alone.",
  columns: ["", "first read", "bare queries over HTTP", "times", "from memory"],
}

export const coldRead = onEachEngine("cold-read", coldReadHead, async (bench, engine, rows) => {
  const { location, stocked, url, change, coldRead, read } = await serveNew(bench, engine)
  const { key } = stocked
  const order = { location, key, body: await readText(url, key) }
  const bareLine = await openLine(await startBeside(bench.cleanup).ask("queries", order))
  const request = readRequest(key)

  const repeat = (once: () => Promise<number>) => () => medianOf(bench.options.calls, once)
  const results = await byTurns(bench.options.turns, {
    cold: repeat(coldRead),
    bare: repeat(() => change().then(async () => (await bareLine.ask(request, 200)).ms)),
    hot: repeat(read),
  })
  bareLine.close()
  const [cold, bare, hot] = [results.cold, results.bare, results.hot].map((all) => milliseconds(median(all)))
  const ratio = medianRatio(results.cold, results.bare)
  rows.add("", String(cold), String(bare), times(ratio), String(hot))
  rows.hold("coldRead", "", ratio)
})

const itemsPerEnvironment = 50
const mostItems = 1_000_000

const growthHead = {
  title: "Read by key as the store grows",
  how: "The environment that is read has 50 variables. Every other environment in the store has 50 too, and a key. Reads from memory over 64 connections (in as many and as short turns as above), and the first read after a change over one connection, which queries the database.",
  columns: ["", "reads/s", "of the smallest", "first read", "times the smallest"],
}

export const growth = onEachEngine("growth", growthHead, async (bench, engine, rows) => {
  const sizes = bench.options.quick ? [1_000, 20_000] : [1_000, 100_000, mostItems]
  const stores = new Map<string, Served>()
  for (const size of sizes) {
    bench.say(`    storing ${whole(size)} items`)
    const store = await makeStore(bench, engine, { fill: copyEnvironments(size / itemsPerEnvironment) })
    stores.set(String(size), await serve(bench, store))
  }
  const onAll = (turns: number, once: (served: Served) => Promise<number>) =>
    byTurns(turns, Object.fromEntries(Array.from(stores, ([size, served]) => [size, () => once(served)])))
  const hot = await onAll(bench.options.race.turns, ({ readRate }) => readRate())
  const cold = await onAll(bench.options.turns, ({ coldRead }) => medianOf(bench.options.calls, coldRead))
  for (const store of stores.values()) await store.stop()

  const compared = (results: Record<string, number[]>, size: number) => {
    const [ours = [], smallest = []] = [results[size], results[sizes[0] ?? 0]]
    return { figure: median(ours), ratio: medianRatio(ours, smallest) }
  }
  for (const size of sizes) {
    const [rate, first] = [compared(hot, size), compared(cold, size)]
    rows.add(
      `${whole(size)} items`,
      whole(rate.figure),
      times(rate.ratio),
      milliseconds(first.figure),
      times(first.ratio),
    )
    // The short form stores too little to check the promise.
    if (size === mostItems) rows.hold("growth", "", rate.ratio)
  }
})
