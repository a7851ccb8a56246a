import { connect, type Socket } from "node:net"
import { collections, variables } from "@envkeep/contract"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, short } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { type Stock, stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"

/** Those who follow an environment or a collection over a connection of their own. */
interface Crowd {
  title: string
  how: string
  size: number
  request: (stock: Stock) => string
  event: RegExp
}

const how =
  "Memory of the process before and after they connect. Then an item is changed; the time runs from sending that call until the last of them has the event."

const watching: Crowd = {
  title: "1,000 watchers",
  how: `Each watches the same environment over its own connection. ${how}`,
  size: 1_000,
  request: ({ key }) =>
    requestText({ path: `/api${variables.watch.path}`, headers: { authorization: `Bearer ${key}` } }),
  event: /event: revision/,
}

const screens: Crowd = {
  title: "500 open screens",
  how: `Each follows the same collection over its own connection, as an open collection in a browser does. ${how}`,
  size: 500,
  request: ({ collectionId, cookie }) =>
    requestText({
      path: `/api${collections.live.path.replace("{id}", String(collectionId))}`,
      headers: { cookie },
    }),
  event: /event: (state|environment)/,
}

export const watchers: Group = {
  name: "watchers",
  async run(bench) {
    const sections: Section[] = []
    for (const crowd of [watching, screens]) {
      const { title, how } = crowd
      const columns = ["", "memory before", "with all of them", "kB each", "until the last heard"]
      const section: Section = { title, how, columns, rows: [], held: [] }
      for (const engine of engines) section.rows.push(await measure(bench, engine, crowd))
      sections.push(section)
    }
    return sections
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], { size, ...crowdOf }: Crowd): Promise<string[]> {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const stocked = await stock(product, 50)
  const line = await openLine(product.port)
  const before = residentBytes(product.pid)

  const crowd = gather(size, crowdOf.event)
  const request = crowdOf.request(stocked)
  const joined = crowd.allHear()
  // A hundred at a time: more would wait in the queue of connections that are not accepted yet.
  for (let at = 0; at < size; at += 100) {
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
    short((after - before) / size / 1000),
    milliseconds(median(heard)),
  ]
}

/** Watchers that only count events, which they recognize by the first word. */
function gather(size: number, event: RegExp) {
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
          if (!event.test(piece.toString("latin1"))) return
          if (++hearing === size) done(performance.now())
          resolve()
        })
      }),
    leave() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
