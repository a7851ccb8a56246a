import { once } from "node:events"
import { connect, type Socket } from "node:net"
import type { Environment } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { measuredApp } from "@envkeep/testing/measured.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, onTestFinished } from "vitest"

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

test("an answer is printed only as it is read, and one that is not read holds up only its own user", async () => {
  const { app, user, url, ann, environment } = await longEnvironment()
  const bob = await user()
  const accepted: Socket[] = []
  app.server.on("connection", (socket: Socket) => accepted.push(socket))

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
  const unsentBytes = accepted.reduce((sum, socket) => sum + socket.writableLength, 0)
  expect(unsentBytes).toBeLessThan(10_000_000) // one whole answer has twice as many
})

test("a long answer is whole, and the share it took is free again", async () => {
  const { ann, environment } = await longEnvironment()
  for (let round = 0; round < 8; round++) {
    const { body } = await ann.get<Environment>(`/subcollection/${environment.id}`)
    expect(body.data.collectionItems.map((item) => item.value)).toEqual(Array(itemCount).fill(value))
  }
})

test.each([
  ["a read of all", ""],
  ["a reload of a tab that holds nothing", "?tagged=true"],
])("what is loaded for an answer counts, also if it is many names without values: %s", async (_, query) => {
  const { port, user, parts } = await measuredApp()
  const ann = await user()
  const environment = await ann.environment()
  const items = Array.from({ length: 5_000 }, (_, n) => ({ name: `${n} ${"\u{1f511}".repeat(240)}`, value: "" }))
  expect((await ann.post(`/subcollection/${environment.id}/bulk`, items)).status).toBe(200)
  const socket = connect(port, "127.0.0.1").pause()
  onTestFinished(() => void socket.destroy())
  socket.write(
    `GET /api/collection/${environment.collectionId}${query} HTTP/1.1\r\nhost: x\r\ncookie: ${ann.cookie}\r\n\r\n`,
  )
  await once(socket, "readable")
  expect(parts.shares.unsentBytes.state().taken).toBeGreaterThan(2_500_000)
})

test("the environments of a large collection are loaded one after the other, while the reader takes them", async () => {
  const app = await longEnvironment()
  const { ann, environment: first, url } = app
  const second = await ann.environment("second", first.collectionId)
  const third = await ann.environment("third", first.collectionId)
  const item = await ann.item(second, "A", "old")
  // As if the environments had more than is loaded at once.
  await app.db.updateTable("environment").set({ sealed_bytes: 20_000_000 }).execute()
  const socket = connect(Number(new URL(url).port), "127.0.0.1").pause()
  onTestFinished(() => void socket.destroy())
  socket.write(
    `GET /api/subcollection/all/${first.collectionId} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncookie: ${ann.cookie}\r\n\r\n`,
  )
  await once(socket, "readable")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "new" })
  await ann.delete(`/subcollection/${third.id}`)

  let answer = ""
  for await (const chunk of socket.setEncoding("latin1")) answer += chunk
  // Only the end: the first environment has megabytes.
  const end = answer.slice(-500)
  expect(end).toMatch(/}\]}\r\n0\r\n\r\n$/)
  expect(end).toContain('"name":"second"')
  expect(end).toContain('"value":"new"')
  expect(end).not.toContain('"name":"third"')
})
