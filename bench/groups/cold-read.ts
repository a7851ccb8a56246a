import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { openLine } from "../load/line.ts"
import type { BareQueries } from "../peers/bare-queries.ts"
import { milliseconds, times } from "../report.ts"
import { serveNew } from "../served.ts"
import { startSideProcess } from "../side-process.ts"
import { readRequest, readText } from "../stock.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

const head = {
  title: "First read after a change",
  how: "50 variables, one connection. One item is changed before each read, so memory holds no finished answer. For comparison: the same two queries on the bare driver, behind a bare `node:http` server on the same store and after the same kind of change (it decrypts and prints nothing; its bytes are prepared). A read from memory shows the cost of the round trip alone.",
  columns: ["", "first read", "bare queries over HTTP", "times", "from memory"],
}

export const coldRead = onEachEngine("cold-read", head, async (bench, engine, section) => {
  const { location, stocked, url, change, read } = await serveNew(bench, engine)
  const peer = startSideProcess(bench.cleanup, "peers/bare-queries.ts")
  const { key } = stocked
  const order: BareQueries = { location, key, body: await readText(url, key) }
  const bareLine = await openLine(await peer.ask<number>(order))
  const request = readRequest(key)

  const repeat = (once: () => Promise<number>) => medianOf(bench.options.calls, once)
  const afterChange = (once: () => Promise<number>) => repeat(() => change().then(once))
  const results = await byTurns(bench.options.turns, {
    cold: () => afterChange(read),
    bare: () => afterChange(async () => (await bareLine.ask(request, 200)).ms),
    hot: () => repeat(read),
  })
  bareLine.close()

  const ratio = medianRatio(results.cold, results.bare)
  section.rows.push([
    engineNames[engine],
    milliseconds(median(results.cold)),
    milliseconds(median(results.bare)),
    times(ratio),
    milliseconds(median(results.hot)),
  ])
  section.held.push(hold("coldRead", engineNames[engine], ratio))
})
