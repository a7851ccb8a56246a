import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { type Held, hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startNginx } from "../peers/nginx.ts"
import { startPeer } from "../peers/peer.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { readRequest, readText, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

const variableCount = 50
const connectionCounts = [1, 16, 64]
const bare = "bare node:http"

interface Contender {
  name: string
  port: number
  found: string
  notModified: string
}

export const read: Group = {
  name: "read",
  async run(bench) {
    const contenders = await startAll(bench)
    return [await measure(bench, contenders, 200), await measure(bench, contenders, 304)]
  },
}

async function startAll(bench: Bench): Promise<Contender[]> {
  const contenders: Contender[] = []
  // All get the same request, with the key, except for the port and the ETag.
  const add = async (name: string, port: number, key: string) => {
    const line = await openLine(port)
    const { head } = await line.ask(readRequest(key), 200)
    line.close()
    const etag = /\r\netag: *(\S+)/i.exec(head)?.[1] ?? '"1-1-json"'
    contenders.push({ name, port, found: readRequest(key), notModified: readRequest(key, etag) })
  }

  let body = ""
  let key = ""
  for (const engine of engines) {
    const product = await startProduct(bench, await newStoreLocation(bench, engine))
    const stocked = await stock(product, variableCount)
    key = stocked.key
    body = await readText(product, stocked)
    await add(`Envkeep on ${engineNames[engine]}`, product.port, key)
  }
  await add(bare, await startPeer(bench, "node-http", { body }), key)
  await add("Fastify, ready buffer", await startPeer(bench, "fastify", { body }), key)
  const nginx = await startNginx(bench, body)
  if (nginx !== undefined) await add("nginx, static file", nginx, key)
  return contenders
}

async function measure(bench: Bench, contenders: Contender[], status: 200 | 304): Promise<Section> {
  const rows: string[][] = contenders.map(({ name }) => [name])
  const held: Held[] = []
  for (const connections of connectionCounts) {
    bench.say(`  ${status}, ${connections} connections`)
    const results = await byTurns(
      bench.options.race.turns,
      Object.fromEntries(
        contenders.map((contender) => [contender.name, () => load(bench, contender, { status, connections })]),
      ),
    )
    const rates = (name: string) => (results[name] ?? []).map(({ perSecond }) => perSecond)
    const p99s = (name: string) => (results[name] ?? []).map(({ p99 }) => p99)
    for (const [at, { name }] of contenders.entries()) {
      const ratio = medianRatio(rates(name), rates(bare))
      rows[at]?.push(whole(median(rates(name))), times(ratio), milliseconds(median(p99s(name))))
      if (connections !== 64 || !name.startsWith("Envkeep")) continue
      held.push(
        hold(status === 200 ? "read" : "notModified", name, ratio),
        hold(status === 200 ? "readP99" : "notModifiedP99", name, medianRatio(p99s(name), p99s(bare))),
      )
    }
  }
  return {
    title: status === 200 ? "Read by key" : "Read by key, nothing changed (304)",
    how: `An environment of ${variableCount} variables, read over 1, 16 and 64 connections in ${bench.options.race.turns} turns of ${bench.options.race.seconds} s: answers a second, their ratio to bare \`node:http\` with the same bytes, and the 99th percentile of the time to an answer.`,
    columns: ["", ...connectionCounts.flatMap((count) => [`${count} conn., 1/s`, "of bare", "p99"])],
    rows,
    held,
  }
}

function load(bench: Bench, contender: Contender, { status, connections }: { status: 200 | 304; connections: number }) {
  const request = status === 200 ? contender.found : contender.notModified
  return bench.load({ port: contender.port, request, status, connections, seconds: bench.options.race.seconds })
}
