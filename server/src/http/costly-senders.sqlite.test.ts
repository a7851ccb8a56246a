import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { expect, onTestFinished, test, vi } from "vitest"

// Senders that make a request cost far more than its bytes.

async function listening() {
  const app = await testApp()
  const { port } = new URL(await app.app.listen({ port: 0, host: "127.0.0.1" }))
  const dial = (opening: string) => {
    const socket = connect(Number(port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.write(opening)
    return socket
  }
  return { ...app, dial }
}

const oneByteChunks = (count: number) => "1\r\n \r\n".repeat(count)
const fairChunks = (count: number) => `80\r\n${" ".repeat(128)}\r\n`.repeat(count)
const getMe = "GET /api/users/me HTTP/1.1\r\nhost: x\r\n\r\n"
const chunked = (line: string) =>
  `${line} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`

test("of requests sent without waiting for answers, some are carried out, and then the connection ends", async () => {
  const { dial } = await listening()
  let requests = ""
  for (let n = 0; n < 500; n++) {
    requests += `GET /api/users/me HTTP/1.1\r\nhost: x\r\ncookie: envkeep_session=${String(n).padStart(43, "0")}\r\n\r\n`
  }
  const answers = await text(dial(requests))
  expect(answers.match(/HTTP\/1\.1 200 /g)).toHaveLength(8)
})

test.for(["POST /api/users/login", "POST /api/collection", "GET /api/v1/variables"])(
  "a body in very many small chunks is cut off: %s",
  async (line) => {
    const { dial } = await listening()
    const socket = dial(chunked(line))
    // Some calls answer before they have the body. What comes after that counts too.
    const sending = setInterval(() => socket.write(oneByteChunks(200)), 1)
    await once(socket.resume(), "close")
    clearInterval(sending)
  },
)

test("requests that are left when their connection closes end in errors without stacks, and later errors have one", async () => {
  const { app, dial } = await listening()
  const stacks: (string | undefined)[] = []
  app.server.on("request", (_, response) => {
    response.on("close", () => response.errored === null || stacks.push(response.errored.stack))
  })
  const before = Error.stackTraceLimit
  const sender = dial(getMe.repeat(200))
  await once(app.server, "request")
  sender.destroy()
  await vi.waitFor(() => expect(stacks.length).toBeGreaterThan(100), eventually)
  expect(new Set(stacks)).toEqual(new Set(["Error: aborted"]))
  expect([Error.stackTraceLimit, before > 0]).toEqual([before, true])
})

test("of many requests that are not carried out, those of one sender are read in a turn of the event loop", async () => {
  const { app, dial } = await listening()
  const turn = countTurns()
  const readIn = new Map<Socket, number>()
  app.server.on("request", ({ socket }) => void readIn.set(socket, turn()))
  const senders = Array.from({ length: 8 }, () => dial(getMe))
  await vi.waitFor(() => expect(readIn.size).toBe(senders.length), eventually)
  readIn.clear()
  for (const sender of senders) sender.write(getMe.repeat(200))
  await Promise.all(senders.map((sender) => once(sender.resume(), "close")))
  expect(new Set(readIn.values()).size).toBe(senders.length)
})

test("of bodies in very many small chunks that arrive together, one is read in a turn of the event loop", async () => {
  const { app, dial } = await listening()
  const senders = 8
  const requests: IncomingMessage[] = []
  app.server.on("request", (request) => requests.push(request))
  const sockets = Array.from({ length: senders }, () => dial(chunked("POST /api/users/login")))
  await vi.waitFor(() => expect(requests).toHaveLength(senders), eventually)
  const turn = countTurns()
  const cutOffIn = Promise.all(requests.map((request) => once(request, "close").then(turn)))
  for (const socket of sockets) socket.write(oneByteChunks(2_000))
  expect(new Set(await cutOffIn).size).toBe(senders)
})

test("a body that no call reads is dropped as it comes", async () => {
  const { app, user, dial } = await listening()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const requests: IncomingMessage[] = []
  app.server.on("request", (request) => requests.push(request))
  const head = chunked("GET /api/v1/variables/watch").replace("host: x", `host: x\r\nauthorization: Bearer ${key}`)
  dial(`${head}${fairChunks(2_000)}0\r\n\r\n`)
  await vi.waitFor(() => expect(requests.at(-1)?.complete).toBe(true), eventually)
  expect(requests.at(-1)?.readableLength).toBe(0)
})
