import { collections, variables } from "@envkeep/contract"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Crowd, startCrowd, systemMs } from "../load/crowd.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { type Product, startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, short, times, whole } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { readRequest, type Stock, stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

const nodes = 3
const aChange =
  "Then an item is changed; the time runs from sending that call until the last of them has the event, in the crowd's own process."

export const watchers: Group = {
  name: "watchers",
  async run(bench) {
    // The short form also runs where a process may open few files.
    const size = bench.options.quick ? 500 : 10_000
    return [await onOneNode(bench, size), await onNodes(bench, size), await openScreens(bench, size / 20)]
  },
}

async function onOneNode(bench: Bench, size: number): Promise<Section> {
  const section: Section = {
    title: `${whole(size)} watchers`,
    how: `Each watches the same environment over its own connection. Memory of the process for each of them, and for each of as many connections that have read once and are idle. ${aChange} Reads by key over 64 connections, side by side with a server without watchers.`,
    columns: ["", "kB each", "idle, kB each", "over idle", "until the last heard", "reads/s", "of one without"],
    rows: [],
    held: [],
  }
  for (const engine of engines) {
    bench.say(`  ${engineNames[engine]}`)
    const [alone, watched] = [await node(bench, engine), await node(bench, engine)]
    const idleBytes = await bytesOfEach(bench, {
      ...alone,
      size,
      request: readRequest(alone.stocked.key),
      event: "HTTP",
    })
    const { crowd, bytes } = await gathered(bench, { ...watched, size, ...watching(watched.stocked) })
    const heardMs = await untilAllHear(bench, { ...watched, crowds: [crowd] })
    const reads = await byTurns(bench.options.race.turns, { alone: alone.read, watched: watched.read })
    const ratio = medianRatio(reads.watched, reads.alone)
    const overIdleKb = (bytes - idleBytes) / 1000
    section.rows.push([
      engineNames[engine],
      short(bytes / 1000),
      short(idleBytes / 1000),
      short(overIdleKb),
      milliseconds(heardMs),
      whole(median(reads.watched)),
      times(ratio),
    ])
    section.held.push(
      hold("watcherMemory", engineNames[engine], overIdleKb),
      hold("watchersHear", engineNames[engine], heardMs),
      hold("watchedRead", engineNames[engine], ratio),
    )
    await crowd.leave()
    await alone.product.stop()
    await watched.product.stop()
  }
  return section
}

async function onNodes(bench: Bench, size: number): Promise<Section> {
  bench.say(`  ${nodes} nodes`)
  const location = await newStoreLocation(bench, "postgres")
  const first = await startProduct(bench, location)
  const stocked = await stock(first, 50)
  const others = await Promise.all(Array.from({ length: nodes - 1 }, () => startProduct(bench, location)))
  const crowds: Crowd[] = []
  const memory: number[] = []
  for (const product of [first, ...others]) {
    const { crowd } = await gathered(bench, { product, size, ...watching(stocked) })
    crowds.push(crowd)
    memory.push(residentBytes(product.pid))
  }
  const heardMs = await untilAllHear(bench, { product: first, stocked, crowds })
  for (const crowd of crowds) await crowd.leave()
  return {
    title: `${nodes} nodes with ${whole(size)} watchers each`,
    how: `On one PostgreSQL. ${aChange} One node makes the change.`,
    columns: ["", "memory of a node", "until the last heard"],
    rows: [[engineNames.postgres, megabytes(Math.max(...memory)), milliseconds(heardMs)]],
    held: [],
  }
}

async function openScreens(bench: Bench, size: number): Promise<Section> {
  const section: Section = {
    title: `${whole(size)} open screens`,
    how: `Each follows the same collection over its own connection, as an open collection in a browser does. ${aChange}`,
    columns: ["", "kB each", "until the last heard"],
    rows: [],
    held: [],
  }
  for (const engine of engines) {
    const { product, stocked } = await node(bench, engine)
    const { cookie, collectionId } = stocked
    const path = `/api${collections.live.path.replace("{id}", String(collectionId))}`
    const request = requestText({ path, headers: { cookie } })
    const { crowd, bytes } = await gathered(bench, { product, size, request, event: "event: " })
    const heardMs = await untilAllHear(bench, { product, stocked, crowds: [crowd] })
    section.rows.push([engineNames[engine], short(bytes / 1000), milliseconds(heardMs)])
    await crowd.leave()
    await product.stop()
  }
  return section
}

async function node(bench: Bench, engine: (typeof engines)[number]) {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const stocked = await stock(product, 50)
  const request = readRequest(stocked.key)
  const { seconds } = bench.options.race
  return {
    product,
    stocked,
    read: async () =>
      (await bench.load({ port: product.port, request, status: 200, connections: 64, seconds })).perSecond,
  }
}

function watching({ key }: Stock): { request: string; event: string } {
  const path = `/api${variables.watch.path}`
  return { request: requestText({ path, headers: { authorization: `Bearer ${key}` } }), event: "event: revision" }
}

interface Gathering {
  product: Product
  size: number
  request: string
  event: string
}

async function gathered(
  { cleanup }: Bench,
  { product, size, request, event }: Gathering,
): Promise<{ crowd: Crowd; bytes: number }> {
  const crowd = startCrowd(cleanup)
  const before = residentBytes(product.pid)
  await crowd.gather({ port: product.port, size, request, event })
  return { crowd, bytes: (residentBytes(product.pid) - before) / size }
}

/** What a connection takes. They are closed again. */
async function bytesOfEach(bench: Bench, gathering: Gathering): Promise<number> {
  const { crowd, bytes } = await gathered(bench, gathering)
  await crowd.leave()
  return bytes
}

async function untilAllHear(
  bench: Bench,
  { product, stocked, crowds }: { product: Product; stocked: Stock; crowds: Crowd[] },
): Promise<number> {
  // Opened now: a server closes a connection on which nothing was asked while the crowds gathered.
  const line = await openLine(product.port)
  let changes = 0
  const { heard } = await byTurns(Math.max(bench.options.turns, 5), {
    async heard() {
      const began = systemMs()
      const [heardAtMs] = await Promise.all([
        Promise.all(crowds.map((crowd) => crowd.allHear())),
        line.ask(writeRequest(stocked, ++changes), 200),
      ])
      return Math.max(...heardAtMs) - began
    },
  })
  return median(heard)
}
