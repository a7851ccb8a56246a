import { connect, type Socket } from "node:net"
import { variables } from "@envkeep/contract"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, short } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"

const watcherCount = 1_000

export const watchers: Group = {
  name: "watchers",
  async run(bench) {
    const section: Section = {
      title: "1,000 watchers",
      how: "Each watches the same environment over its own connection. Memory of the process before and after they connect. Then an item is changed; the time runs from sending that call until the last watcher has the event.",
      columns: ["", "memory before", "with watchers", "kB a watcher", "until the last heard"],
      rows: [],
      held: [],
    }
    for (const engine of engines) section.rows.push(await measure(bench, engine))
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number]): Promise<string[]> {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const stocked = await stock(product, 50)
  const line = await openLine(product.port)
  const before = residentBytes(product.pid)

  const crowd = gather()
  const headers = { authorization: `Bearer ${stocked.key}` }
  const request = requestText({ path: `/api${variables.watch.path}`, headers })
  const joined = crowd.allHear()
  // A hundred at a time: more would wait in the queue of connections that are not accepted yet.
  for (let at = 0; at < watcherCount; at += 100) {
    await Promise.all(Array.from({ length: 100 }, () => crowd.join(product.port, request)))
  }
  await joined
  const after = residentBytes(product.pid)

  let change = 0
  const { heard } = await byTurns(Math.max(bench.options.turns, 5), {
    async heard() {
      const all = crowd.allHear()
      const began = performance.now()
      await line.ask(writeRequest(stocked, ++change), 200)
      return (await all) - began
    },
  })
  crowd.leave()
  line.close()
  return [
    engineNames[engine],
    megabytes(before),
    megabytes(after),
    short((after - before) / watcherCount / 1000),
    milliseconds(median(heard)),
  ]
}

/** Watchers that only count events, which they recognize by the first word. */
function gather() {
  const sockets: Socket[] = []
  let hearing = 0
  let done: (at: number) => void = () => undefined
  return {
    /** Resolves when each of them has got one more event. */
    allHear: () =>
      new Promise<number>((resolve) => {
        hearing = 0
        done = resolve
      }),
    join: (port: number, request: string) =>
      new Promise<void>((resolve, reject) => {
        const socket = connect({ host: "127.0.0.1", port })
        sockets.push(socket)
        socket.on("error", reject)
        socket.on("connect", () => socket.write(request))
        socket.on("data", (piece) => {
          if (!piece.includes("event: revision")) return
          if (++hearing === watcherCount) done(performance.now())
          resolve()
        })
      }),
    leave() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
