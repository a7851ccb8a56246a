import { once } from "node:events"
import { connect } from "node:net"
import { buffer, text } from "node:stream/consumers"
import { visitor } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, test } from "vitest"

const timeout = 120_000

test("a node that is stopping reports that it is not ready, and keeps answering for a while", { timeout }, async () => {
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
  // A second signal ends it immediately.
  server.child.kill("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 1, err: "" })
})

test("a client that reads a large answer slowly still gets all of it from a node that is stopping", {
  timeout,
}, async () => {
  const server = run(await newStoreLocation())
  const url = await server.url()
  const ann = visitor([url])
  await ann.register(0, "ann@example.com", "password")
  await ann.login(0, "ann@example.com", "password")
  const environment = await ann.environment(0, (await ann.collection(0)).id)
  const large = Array.from({ length: 240 }, (_, n) => ({ name: `N${n}`, value: "x".repeat(60_000) }))
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

/** Waits until the node is no longer ready. */
async function untilStopping(url: string): Promise<void> {
  for (;;) {
    const ready = await fetch(`${url}/readyz`).catch(() => undefined)
    if (ready?.status !== 200) return
  }
}
