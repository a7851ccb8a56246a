import { EventEmitter } from "node:events"
import { Socket } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import { expect, test } from "vitest"
import { oneSenderPerTurn } from "./sender-turns.ts"

function connected(connections: number) {
  const server = new EventEmitter()
  const count = oneSenderPerTurn(server)
  const sender = new Socket()
  const others = Array.from({ length: connections - 1 }, () => new Socket())
  for (const socket of [sender, ...others]) server.emit("connection", socket)
  const paused = () => [sender, ...others].filter((socket) => socket.isPaused())
  return { take: (steps: number) => count(sender, steps), others, paused }
}

test("when a sender has taken too many steps, all others are read in the next turn", async () => {
  const { take, others, paused } = connected(10)
  take(990)
  expect(paused()).toEqual([])
  take(10)
  expect(paused()).toEqual(others)
  await nextTurn()
  expect(paused()).toEqual([])
})

test("the steps of one turn do not count in the next", async () => {
  const { take, paused } = connected(10)
  take(990)
  await nextTurn()
  take(990)
  expect(paused()).toEqual([])
})

test("the more connections there are, the more steps make it worth to pause them", () => {
  const { take, others, paused } = connected(2_000)
  take(5_990)
  expect(paused()).toEqual([])
  take(10)
  expect(paused()).toHaveLength(others.length)
})
