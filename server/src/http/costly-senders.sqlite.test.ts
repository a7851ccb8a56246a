import { once } from "node:events"
import type { IncomingMessage } from "node:http"
import { connect } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
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

test("requests that come before a CONNECT on the same connection end with it", async () => {
  const { port, parts } = await measuredApp()
  const socket = connect(port, "127.0.0.1")
  socket.write(`${getMe.repeat(3)}CONNECT x:443 HTTP/1.1\r\nhost: x\r\n\r\n`)
  await once(socket.resume(), "close")
  await vi.waitFor(() => expect(parts.requestsInFlight()).toBe(0), eventually)
})

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
