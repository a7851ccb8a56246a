import { once } from "node:events"
import { connect } from "node:net"
import type { Environment } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, onTestFinished, test } from "vitest"

const timeout = 60_000
const itemCount = 50
/** In JSON each of these characters takes six bytes. */
const value = `x${"\u0001".repeat(65_000)}`

async function longEnvironment() {
  const app = await testApp()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment()
  for (let n = 0; n < itemCount; n++) await ann.item(environment, `NAME_${n}`, value)
  return { ...app, url, ann, environment }
}

test("answers that are not read take no memory, and hold up only their own user", { timeout }, async () => {
  const { user, url, ann, environment } = await longEnvironment()
  const bob = await user()
  const held = () => process.memoryUsage().heapUsed + process.memoryUsage().external
  const before = held()

  const request = `GET /api/collection/${environment.collectionId} HTTP/1.1\r\nhost: x\r\ncookie: ${ann.cookie}\r\n\r\n`
  const sockets = Array.from({ length: 14 }, () => connect(Number(new URL(url).port), "127.0.0.1").pause())
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, "connect")))
  for (const socket of sockets) socket.write(request)
  // The first bytes of an answer: its data is loaded, and what the reader does not take is not printed.
  await Promise.race(sockets.map((socket) => once(socket, "readable")))

  expect((await bob.get("/collection")).status).toBe(200)
  expect((await bob.environment()).itemCount).toBe(0)
  expect(held() - before).toBeLessThan(100_000_000) // fourteen whole answers would be 270 MB
})

test("a long answer is whole, and the share it took is free again", { timeout }, async () => {
  const { ann, environment } = await longEnvironment()
  for (let round = 0; round < 8; round++) {
    const { body } = await ann.get<Environment>(`/subcollection/${environment.id}`)
    expect(body.data.collectionItems.map((item) => item.value)).toEqual(Array(itemCount).fill(value))
  }
})
