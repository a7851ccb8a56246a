import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer as createTlsServer } from "node:https"
import { createServer, type Server, type Socket } from "node:net"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import type { WebhookDelivery, WebhookWithSecret } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { certificate } from "@envkeep/testing/mail-server.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { startReceiver } from "@envkeep/testing/receiver.ts"
import { expect, onTestFinished } from "vitest"
import { addressPolicy } from "./addresses.ts"
import { resolveByDns } from "./resolve.ts"
import { type Sent, send } from "./send.ts"

const keyFile = new URL("../../../../../testing/fixtures/mail-server/key.pem", import.meta.url)
const key = readFileSync(keyFile, "utf8")

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("the server has no port")
  return address.port
}

/** Writes these bytes as soon as a message begins to arrive, and then waits with the connection open, unless it ends it. */
async function startRawReceiver(answer: string, { ends = false } = {}) {
  const sockets = new Set<Socket>()
  const closed = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => closed.resolve())
    socket.once("data", () => (ends ? socket.end(answer) : socket.write(answer)))
  })
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/`, sockets, closed: closed.promise }
}

/** With more time than the test has, so that only the answer ends it. */
function sendTo(url: string, stop = new AbortController().signal): Promise<Sent> {
  const sender = { policy: addressPolicy(["127.0.0.1", "::1"]), resolve: resolveByDns, timeoutMs: 3_600_000 }
  return send({ url: new URL(url), headers: {}, body: "{}" }, sender, stop)
}

const switching = "HTTP/1.1 101 x\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"
const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n"
const wireBytes = 72 * 1024

const filledWith = (piece: string) => piece.repeat(Math.ceil(wireBytes / piece.length))
const badAnswer: Sent = { status: null, fault: "bad_answer" }
const delivered: Sent = { status: 200, fault: null }

test.for<[string, string, Sent]>([
  ["switches protocols", switching, badAnswer],
  ["switches protocols and goes on", switching + filledWith("x"), badAnswer],
  ["sends one interim answer after the other", "HTTP/1.1 100 Continue\r\n\r\n".repeat(11), badAnswer],
  ["sends long interim answers", filledWith(`HTTP/1.1 103 x\r\nlink: ${"x".repeat(15_000)}\r\n\r\n`), badAnswer],
  ["adds long extensions to chunks", chunked + filledWith(`1;${"x".repeat(8_000)}\r\nx\r\n`), delivered],
  ["sends a byte at a time", chunked + filledWith("1\r\nx\r\n"), delivered],
  ["sends a few interim answers before its own", `${early.repeat(10)}${chunked}0\r\n\r\n`, delivered],
])("a receiver that %s is not waited for, and its connection is closed", async ([, answer, expected]) => {
  const { url, closed } = await startRawReceiver(answer)
  expect(await sendTo(url)).toEqual(expected)
  await closed
})

test("an answer with a long head counts as a whole, also if the connection ends right behind it", async () => {
  const { url, closed } = await startRawReceiver(
    `HTTP/1.1 200 OK\r\nx: ${"x".repeat(12_000)}\r\ncontent-length: 0\r\n\r\n`,
    { ends: true },
  )
  expect(await sendTo(url)).toEqual(delivered)
  await closed
})

test("a receiver with TLS gets its message only if its certificate is trusted and names it", async () => {
  const server = createTlsServer({ key, cert: certificate }, (_, response) => response.writeHead(204).end())
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const refused = { status: null, fault: "tls" }
  expect(await sendTo(`https://localhost:${port}/`)).toEqual(refused)
  const trusted = getCACertificates()
  onTestFinished(() => setDefaultCACertificates(trusted))
  setDefaultCACertificates([...trusted, certificate])
  expect(await sendTo(`https://localhost:${port}/`)).toEqual({ status: 204, fault: null })
  expect(await sendTo(`https://127.0.0.1:${port}/`)).toEqual(refused)
})

test("after a receiver that switches protocols, others are delivered to, and the server stops", async () => {
  const [app, good] = [await testApp({ env: { ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" } }), await startReceiver()]
  const ann = await app.user()
  const environment = await ann.environment()
  const path = `/collections/${environment.collectionId}/webhooks`
  const { url } = await startRawReceiver(switching)
  // More than an owner has places.
  const hooks = await Promise.all(
    [url, url, url, url, url, good.url].map(
      async (url) => (await ann.post<WebhookWithSecret>(path, { url })).body.data,
    ),
  )
  await ann.item(environment, "A", "1")
  await app.deliverer.deliverDue()
  expect(good.types()).toContain("item.add")
  const answer = await ann.get<{ deliveries: WebhookDelivery[] }>(`${path}/${hooks[0]?.id}/deliveries`)
  expect(answer.body.data.deliveries[0]).toMatchObject({ state: "pending", fault: "bad_answer" })
  await ann.item(environment, "B", "1")
  await app.deliverer.stop()
})

test("a stop ends a try at once, however far it is", async () => {
  for (const answer of ["", "HTTP/1.1 ", early, chunked, `${chunked}1\r\nx\r\n`]) {
    const { url, sockets } = await startRawReceiver(answer)
    const stop = new AbortController()
    const sending = sendTo(url, stop.signal)
    await expect.poll(() => sockets.size).toBe(1)
    stop.abort()
    expect((await sending).fault).toBe("interrupted")
  }
})
