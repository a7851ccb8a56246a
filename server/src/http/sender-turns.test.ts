import { EventEmitter } from "node:events"
import { Socket } from "node:net"
import { setImmediate as nextTurn } from "node:timers/promises"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { oneSenderPerTurn } from "./sender-turns.ts"

function connected(connections: number) {
  const server = new EventEmitter()
  const count = oneSenderPerTurn(server)
  const sender = new Socket()
  const others = Array.from({ length: connections - 1 }, () => new Socket())
  for (const socket of [sender, ...others]) server.emit("connection", socket)
  const paused = () => [sender, ...others].filter((socket) => socket.isPaused())
  const send = (chunks: number) => {
    for (let chunk = 0; chunk < chunks; chunk++) count(sender)
  }
  return { send, others, paused }
}

test("when a sender has sent too many chunks, all others are read in the next turn", async () => {
  const { send, others, paused } = connected(10)
  send(990)
  expect(paused()).toEqual([])
  send(10)
  expect(paused()).toEqual(others)
  await nextTurn()
  expect(paused()).toEqual([])
})

test("the chunks of one turn do not count in the next", async () => {
  const { send, paused } = connected(10)
  send(990)
  await nextTurn()
  send(990)
  expect(paused()).toEqual([])
})

test("the more connections there are, the more chunks make it worth to pause them", () => {
  const { send, others, paused } = connected(2_000)
  send(5_990)
  expect(paused()).toEqual([])
  send(10)
  expect(paused()).toHaveLength(others.length)
})
