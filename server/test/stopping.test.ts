import { once } from "node:events"
import { connect } from "node:net"
import { buffer, text } from "node:stream/consumers"
import { finished } from "node:stream/promises"
import { testApp } from "@envkeep/testing/app.ts"
import { visitor } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, test } from "vitest"

testOnce("a node that is stopping reports that it is not ready, and keeps answering for a while", async () => {
  const server = run(await newStoreLocation(), { env: { ENVKEEP_DRAIN_SECONDS: "300" } })
  const url = await server.url()
  const kept = connect(Number(new URL(url).port), "127.0.0.1")
  kept.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
  expect(String(await once(kept, "data"))).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: keep-alive/i)

  server.child.kill("SIGTERM")
  await untilStopping(url)
  const ready = await fetch(`${url}/readyz`)
  expect([ready.status, await ready.json()]).toEqual([503, { status: "unavailable", reason: "The server is stopping" }])
  // A new connection and a kept one are both answered, and then closed.
  const fresh = await fetch(`${url}/api/users/me`)
  expect([fresh.status, fresh.headers.get("connection")]).toEqual([200, "close"])
  kept.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
  expect(await text(kept)).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close/i)
  // A signal that comes more than a second after the first ends it immediately.
  const signals = setInterval(() => server.child.kill("SIGTERM"), 50)
  expect(await server.ended).toMatchObject({ code: 1, err: "" })
  clearInterval(signals)
})

testOnce("signals that come together are one, and the server stops cleanly", async () => {
  const server = run(await newStoreLocation(), { env: { ENVKEEP_DRAIN_SECONDS: "1" } })
  await server.url()
  for (const signal of ["SIGTERM", "SIGTERM", "SIGINT"] as const) server.child.kill(signal)
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
})

testOnce("a client that reads a large answer slowly still gets all of it from a node that is stopping", async () => {
  const server = run(await newStoreLocation())
  const url = await server.url()
  const ann = visitor([url])
  await ann.register(0, "ann@example.com", "a good password")
  await ann.login(0, "ann@example.com", "a good password")
  const environment = await ann.environment(0, (await ann.collection(0)).id)
  const large = Array.from({ length: 60 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) }))
  expect((await ann.call(0, "POST", `/subcollection/${environment.id}/bulk`, large)).status).toBe(200)
  const { key } = await ann.apiKey(0, environment)
  const headers = { authorization: `Bearer ${key}` }
  // The first read loads it into memory; the second is answered from there.
  const whole = await (await fetch(`${url}/api/v1/variables`, { headers })).text()

  const slow = connect(Number(new URL(url).port), "127.0.0.1")
  slow.write(`GET /api/v1/variables HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`)
  await once(slow, "readable")
  server.child.kill("SIGTERM")
  await untilStopping(url)
  const answer = String(await buffer(slow))
  expect(answer.slice(answer.indexOf("\r\n\r\n") + 4)).toHaveLength(whole.length)
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
})

testOnce("clients that wait to be accepted when the server closes are answered too", async () => {
  const { app } = await testApp()
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  // The system completes these connections itself, so the server does not know of them yet when it is told to close.
  const sockets = Array.from({ length: 200 }, () => connect(Number(port), "127.0.0.1"))
  for (const socket of sockets) socket.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
  const closed = app.close()
  const answers = await Promise.all(sockets.map((socket) => text(socket).catch(String)))
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*connection: close[\s\S]*"ok"\}$/i)
  await closed
})

// Slow readers would get 20 seconds.
testOnce("answers behind a stream of changes do not hold up a stop", { timeout: 15_000 }, async () => {
  const { app, user } = await testApp()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  const watcher = connect(Number(port), "127.0.0.1")
  const watch = `GET /api/v1/variables/watch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  watcher.write(watch + "GET /api/users/me HTTP/1.1\r\nhost: x\r\n\r\n".repeat(3))
  await once(watcher, "readable")
  await app.close()
  expect(await text(watcher)).toMatch(/^HTTP\/1\.1 200 /)
})

test("while a node stops, a write is answered as a whole, or gets no byte and is not carried out", async () => {
  const location = await newStoreLocation()
  const server = run(location)
  const url = await server.url()
  await visitor([url]).register(0, "ann@example.com", "a good password")
  const cookie = await sessionCookie(url)

  const answered = new Set<string>()
  const broken: string[] = []
  let isUp = true
  const writeUntilRefused = async (client: number) => {
    for (let n = 0; isUp; n++) {
      const name = `${client}-${n}`
      const answer = await sendCollection(url, cookie, name)
      if (answer === "") isUp = server.child.exitCode === null
      else if (/^HTTP\/1\.1 201 [\s\S]*\}\}$/.test(answer)) answered.add(name)
      else broken.push(answer)
      if (answered.size === 30) server.child.kill("SIGTERM")
    }
  }
  await Promise.all(Array.from({ length: 40 }, (_, client) => writeUntilRefused(client)))
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
  expect(broken).toEqual([])

  const again = run(location)
  const collections = await fetch(`${await again.url()}/api/collection`, { headers: { cookie } })
  const { data } = (await collections.json()) as { data: { name: string }[] }
  expect(data.map(({ name }) => name).sort()).toEqual([...answered].sort())
})

async function sessionCookie(url: string): Promise<string> {
  const { headers } = await fetch(`${url}/api/users/login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "ann@example.com", password: "a good password" }),
  })
  return headers.getSetCookie()[0]?.split(";")[0] ?? ""
}

/** What comes back on a new connection; empty if it was refused or reset. */
async function sendCollection(url: string, cookie: string, name: string): Promise<string> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1")
  const body = JSON.stringify({ name, description: "" })
  const lines = ["POST /api/collection HTTP/1.1", "host: x", `cookie: ${cookie}`, "content-type: application/json"]
  socket.write([...lines, "connection: close", `content-length: ${body.length}`, "", body].join("\r\n"))
  let received = ""
  socket.setEncoding("utf8").on("data", (piece) => {
    received += piece
  })
  await finished(socket).catch(() => undefined)
  return received
}

/** Waits until the node is no longer ready. */
async function untilStopping(url: string): Promise<void> {
  for (;;) {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined)
    if (ready?.status !== 200) return
  }
}
