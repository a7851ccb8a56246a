import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, onTestFinished, test } from "vitest"

const longTimeouts = { headersMs: 600_000, requestMs: 600_000, idleMs: 600_000 }

async function listening(timeouts: typeof longTimeouts) {
  const app = await testApp({ timeouts })
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const port = Number(new URL(url).port)
  const dial = async (opening = ""): Promise<Socket> => {
    const socket = connect(port, "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    await once(socket, "connect")
    socket.write(opening)
    return socket
  }
  return { ...app, url, dial }
}

test("hundreds of silent, slow, half-sent and unread connections do not stop other readers", async () => {
  const { user, url, dial } = await listening(longTimeouts)
  const ann = await user()
  const environment = await ann.environment()
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "LARGE", value: "x".repeat(60_000) }])
  const { key } = await ann.apiKey(environment)
  const read = () => fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
  expect((await read()).status).toBe(200)

  const unread = `GET /api/v1/variables HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`.repeat(100)
  const openings = [
    "",
    "GET / HTTP/1.1\r\nhost:",
    "POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
    `GET /api/v1/variables/watch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`,
  ]
  for (const opening of openings) await Promise.all(Array.from({ length: 100 }, () => dial(opening)))
  // Each requests six megabytes and reads none of it.
  for (const socket of await Promise.all(Array.from({ length: 20 }, () => dial(unread)))) socket.pause()

  for (let n = 0; n < 20; n++) expect((await read()).status).toBe(200)
  const saved = await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "A", value: "1" }])
  expect(saved.status).toBe(200)
  expect(await (await read()).text()).toBe('{"A":"1"}')
})

test("a client that does not send its headers or body in time gets an answer and is disconnected", async () => {
  const { dial } = await listening({ headersMs: 300, requestMs: 600, idleMs: 600_000 })
  const openings = [
    "",
    "GET / HTTP/1.1\r\nhost:",
    "POST /api/users/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{",
  ]
  for (const answer of await Promise.all(openings.map(async (opening) => text(await dial(opening))))) {
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nconnection: close\r\n/)
    expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
      error: true,
      msg: "The request did not arrive in time",
      data: null,
    })
  }
})

test("a connection stays open after an answer, and is closed after an idle time", async () => {
  const { dial } = await listening({ ...longTimeouts, idleMs: 2_000 })
  const kept = await dial()
  const request = async () => {
    kept.write("GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n")
    return String((await once(kept, "data"))[0])
  }
  for (let n = 0; n < 3; n++) expect(await request()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nconnection: keep-alive\r\n/i)
  await once(kept, "end")
})

test("a client that does not read its answer is disconnected, and the answer is released", async () => {
  const { user, app, dial } = await listening({ ...longTimeouts, idleMs: 500 })
  const ann = await user()
  const environment = await ann.environment()
  const large = Array.from({ length: 60 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) }))
  expect((await ann.post(`/subcollection/${environment.id}/bulk`, large)).status).toBe(200)
  const { key } = await ann.apiKey(environment)
  // Several answers, because the system's own buffers take one.
  const read = `GET /api/v1/variables HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  const reader = await dial(read.repeat(5))
  await once(reader, "readable")
  while ((await new Promise<number>((resolve) => app.server.getConnections((_, count) => resolve(count)))) > 0) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await text(reader).catch(() => "")).length).toBeLessThan(5 * 60 * 60_000)
})
