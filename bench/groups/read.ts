import type { Bench, Group } from "../bench.ts"
import { type Held, hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { openLine } from "../load/line.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { serveNew } from "../served.ts"
import { startSideProcess } from "../side-process.ts"
import { readRequest, readText } from "../stock.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

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
    await add(bare, await startSideProcess(bench.cleanup, "peers/node-http.ts").ask<number>({ body }), key)
    return [await measure(bench, contenders, 200), await measure(bench, contenders, 304)]
  },
}

async function measure(bench: Bench, contenders: Contender[], status: 200 | 304): Promise<Section> {
  const { turns, seconds } = bench.options.race
  const rows: string[][] = contenders.map(({ name }) => [name])
  const held: Held[] = []
  for (const connections of connectionCounts) {
    bench.say(`  ${status}, ${connections} connections`)
    const load = ({ port, request }: Contender) =>
      bench.load({ port, request: request[status], status, connections, seconds })
    const results = await byTurns(
      turns,
      Object.fromEntries(contenders.map((contender) => [contender.name, () => load(contender)])),
    )
    const rates = (name: string) => (results[name] ?? []).map(({ perSecond }) => perSecond)
    const p99s = (name: string) => (results[name] ?? []).map(({ p99 }) => p99)
    for (const [at, { name }] of contenders.entries()) {
      const ratio = medianRatio(rates(name), rates(bare))
      rows[at]?.push(whole(median(rates(name))), times(ratio), milliseconds(median(p99s(name))))
      if (connections !== 64 || name === bare) continue
      held.push(
        hold(status === 200 ? "read" : "notModified", name, ratio),
        hold(status === 200 ? "readP99" : "notModifiedP99", name, medianRatio(p99s(name), p99s(bare))),
      )
    }
  }
  return {
    title: status === 200 ? "Read by key" : "Read by key, nothing changed (304)",
    how: `An environment of 50 variables, read over 1, 16 and 64 connections in ${turns} turns of ${seconds} s: answers a second, their ratio to bare \`node:http\` with the same bytes, and the 99th percentile of the time to an answer.`,
    columns: ["", ...connectionCounts.flatMap((count) => [`${count} conn., 1/s`, "of bare", "p99"])],
    rows,
    held,
  }
}
