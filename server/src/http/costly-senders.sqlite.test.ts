import { channel } from "node:diagnostics_channel"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { measuredApp } from "@envkeep/testing/measured.ts"
import { expect, onTestFinished, test, vi } from "vitest"

// Senders that make a request cost far more than its bytes.

async function listening() {
  const app = await testApp()
  const { port } = new URL(await app.app.listen({ port: 0, host: "127.0.0.1" }))
  let requests = 0
  app.app.server.on("request", () => requests++)
  const dial = (opening: string) => {
    const socket = connect(Number(port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.write(opening)
    return socket
  }
  return { ...app, dial, parsed: () => requests }
}

const fairChunks = (count: number) => `80\r\n${" ".repeat(128)}\r\n`.repeat(count)
const getMe = "GET /api/users/me HTTP/1.1\r\nhost: x\r\n\r\n"
const chunked = (line: string) =>
  `${line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`

test.for([getMe, getMe.replace("host", "connection: upgrade\r\nupgrade: websocket\r\nhost")])(
  "of requests sent without waiting for answers, some are carried out, and then the connection ends %#",
  async (further) => {
    const { dial, parsed } = await listening()
    const answers = await text(dial(getMe.repeat(9) + further.repeat(500)))
    expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(8)
    // And the first that was too many.
    expect(parsed()).toBe(9)
  },
)

test("the same for reads that are answered from memory", async () => {
  const { user, dial, parsed, guest } = await listening()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  await guest.variables(key)
  const read = `GET /api/v1/variables HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  const before = parsed()
  const answers = await text(dial(read.repeat(500)))
  // The first is on its way at once, and eight are behind it.
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(9)
  expect(parsed() - before).toBe(10)
})

test("behind an answer that does not end, requests that are not carried out are not parsed either", async () => {
  const { app, user, dial, parsed } = await listening()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const watch = `GET /api/v1/variables/watch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  const sender = dial(watch)
  const [{ socket }] = await once(app.server, "request")
  for (let sent = watch.length, batch = 1; batch <= 3; batch++) {
    sender.write(getMe.repeat(1_000))
    sent += getMe.length * 1_000
    await vi.waitFor(() => expect(socket.bytesRead).toBe(sent), eventually)
  }
  // The watch, and the first behind it.
  expect(parsed()).toBe(2)
})

test("bodies that end in the same moment are not all parsed in the same turn", async () => {
  const { app, dial } = await listening()
  const requests: IncomingMessage[] = []
  app.server.on("request", (request) => requests.push(request))
  const turn = countTurns()
  const handledIn: number[] = []
  const note = () => void handledIn.push(turn())
  const handling = channel("tracing:fastify.request.handler:start")
  handling.subscribe(note)
  onTestFinished(() => void handling.unsubscribe(note))
  const head =
    "POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n"
  const sockets = Array.from({ length: 8 }, () => dial(`${head}{`))
  const areReading = () => requests.filter((request) => request.listenerCount("data") > 0)
  await vi.waitFor(() => expect(areReading()).toHaveLength(8), eventually)
  for (const socket of sockets) socket.write("}")
  await vi.waitFor(() => expect(handledIn).toHaveLength(8), eventually)
  expect(new Set(handledIn).size).toBeGreaterThan(1)
})

test("of senders that hang up in the same moment, not all are refused in the same turn", async () => {
  const { app, dial } = await listening()
  const turn = countTurns()
  const refusedIn: number[] = []
  const requests: IncomingMessage[] = []
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request)
    const end = response.end.bind(response)
    response.end = ((...given: Parameters<typeof end>) => {
      refusedIn.push(turn())
      return end(...given)
    }) as typeof end
  })
  const head =
    "POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n"
  const sockets = Array.from({ length: 8 }, () => dial(`${head}{`))
  const areReading = () => requests.filter((request) => request.listenerCount("data") > 0)
  await vi.waitFor(() => expect(areReading()).toHaveLength(8), eventually)
  for (const socket of sockets) socket.destroy()
  await vi.waitFor(() => expect(refusedIn).toHaveLength(8), eventually)
  expect(new Set(refusedIn).size).toBeGreaterThan(1)
})

test("of clients that stop in the middle of a request, not all are told in the same turn", async () => {
  const { app, dial } = await listening()
  const turn = countTurns()
  const toldIn: number[] = []
  const read: Socket[] = []
  app.server.on("connection", (socket) => {
    socket.prependListener("data", () => void read.push(socket))
    const end = socket.end.bind(socket)
    socket.end = ((...given: Parameters<typeof end>) => {
      toldIn.push(turn())
      return end(...given)
    }) as typeof end
  })
  const sockets = Array.from({ length: 8 }, () => dial("GET / HTTP/1.1\r\nhost: x"))
  await vi.waitFor(() => expect(read).toHaveLength(8), eventually)
  for (const socket of sockets) socket.end()
  await vi.waitFor(() => expect(toldIn).toHaveLength(8), eventually)
  expect(new Set(toldIn).size).toBeGreaterThan(1)
})

test("requests that come before a CONNECT on the same connection end with it", async () => {
  const { port, parts } = await measuredApp()
  const socket = connect(port, "127.0.0.1")
  socket.write(`${getMe.repeat(3)}CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`)
  await once(socket.resume(), "close")
  await vi.waitFor(() => expect(parts.requestsInFlight()).toBe(0), eventually)
})

test.for(["GET /healthz", "POST /api/collection", "POST /api/users/login", "POST /api/nothing"])(
  "a long body that is dropped is read a piece in each turn of the event loop: %s",
  async (line) => {
    const { app, dial } = await listening()
    const turn = countTurns()
    const bytesIn = new Map<number, number>()
    const requests: IncomingMessage[] = []
    app.server.on("request", (request: IncomingMessage) => {
      requests.push(request)
      const push = request.push.bind(request)
      request.push = (piece: Buffer | null) => {
        bytesIn.set(turn(), (bytesIn.get(turn()) ?? 0) + (piece?.length ?? 0))
        return push(piece)
      }
    })
    const megabytes = 8
    const head = `${line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${megabytes}000000`
    const sender = dial(`${head}\r\n\r\n`).resume()
    for (let n = 0; n < megabytes; n++) sender.write(" ".repeat(1_000_000))
    await vi.waitFor(() => expect(requests.map(({ complete }) => complete)).toEqual([true]), eventually)
    // One piece is taken, and with the next one that is not, Node stops reading. Otherwise it would be 2 MB.
    expect(Math.max(...bytesIn.values())).toBeLessThanOrEqual(4 * 64 * 1024)
  },
)

test("a body that no call reads is dropped as it comes", async () => {
  const { app, user, dial } = await listening()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const requests: IncomingMessage[] = []
  app.server.on("request", (request) => requests.push(request))
  const head = chunked("GET /api/v1/variables/watch").replace("host: x", `host: x\r\nauthorization: Bearer ${key}`)
  dial(`${head}${fairChunks(2_000)}0\r\n\r\n`)
  await vi.waitFor(() => expect(requests.at(-1)?.readableEnded).toBe(true), eventually)
})
