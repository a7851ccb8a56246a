import { channel } from "node:diagnostics_channel"
import { connect } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, onTestFinished } from "vitest"
import { createLanes } from "./lanes.ts"

const socket = { destroyed: false }
const oneAddress = () => "192.0.2.1"

test("requests that arrive together do not all begin in the same turn", async () => {
  const turn = countTurns()
  const begun: number[] = []
  const note = () => void begun.push(turn())
  const handling = channel("tracing:fastify.request.handler:start")
  handling.subscribe(note)
  onTestFinished(() => void handling.unsubscribe(note))
  const { app } = await testApp()
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  const client = connect(Number(port), "127.0.0.1")
  onTestFinished(() => void client.destroy())
  client.write("GET /api/users/me HTTP/1.1\r\nhost: x\r\n\r\n".repeat(5))
  await expect.poll(() => begun).toHaveLength(5)
  expect(new Set(begun).size).toBeGreaterThan(1)
})

test("a crowd of one kind does not delay the others", () => {
  const lanes = createLanes()
  const begun: string[] = []
  const arrive = (name: string, method: string, headers = {}) =>
    lanes.begin({ headers, method, socket }, oneAddress, () => void begun.push(name))
  for (let at = 0; at < 3; at++) {
    arrive("login in a known browser", "POST", { cookie: "envkeep_device=x" })
    arrive("login", "POST")
    arrive("read", "GET", { authorization: "Bearer x" })
    arrive("save", "POST", { cookie: "envkeep_device=x; __Host-envkeep_session=x" })
    arrive("health check", "GET")
  }
  expect(begun).toEqual(["login in a known browser", "read", "save", "health check"])
  expect(lanes.waiting()).toBe(11)
})

test("a request whose client has hung up while it waited does not begin", async () => {
  const lanes = createLanes()
  const gone = { destroyed: false }
  const begun: string[] = []
  for (const [name, its] of Object.entries({ first: socket, second: gone, third: socket })) {
    lanes.begin({ headers: {}, method: "POST", socket: its }, oneAddress, () => void begun.push(name))
  }
  gone.destroyed = true
  for (let turn = 0; turn < 4; turn++) await nextTurn()
  expect(begun).toEqual(["first", "third"])
})
