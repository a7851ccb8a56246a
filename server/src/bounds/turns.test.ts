import { countTurns } from "@envkeep/testing/count-turns.ts"
import { expect, test } from "vitest"
import { createTurns, nextTurn, ownTurn } from "./turns.ts"

test("however much long work there is, one piece of it runs per turn of the event loop", async () => {
  const turn = countTurns()
  const ranIn: number[] = []
  const longWork = async () => {
    for (let piece = 0; piece < 5; piece++) {
      await nextTurn()
      ranIn.push(turn())
    }
  }
  await Promise.all([longWork(), longWork(), longWork()])
  expect(ranIn).toHaveLength(15)
  expect(new Set(ranIn).size).toBe(15)
})

test("of work that arrives together, the first starts at once and the rest in turns of their own", async () => {
  const turn = countTurns()
  const ranIn: number[] = []
  await Promise.all(Array.from({ length: 5 }, () => ownTurn().then(() => ranIn.push(turn()))))
  expect(ranIn[0]).toBe(0)
  expect(new Set(ranIn).size).toBe(5)
})

test("turns that are given out start the first work before they return, and the rest in order", async () => {
  const turn = countTurns()
  const ran: { work: number; turn: number }[] = []
  const inTurn = createTurns()
  const all = Array.from({ length: 5 }, (_, work) => {
    return new Promise<void>((resolve) => {
      inTurn(() => {
        ran.push({ work, turn: turn() })
        resolve()
      })
    })
  })
  expect(ran).toEqual([{ work: 0, turn: 0 }])
  await Promise.all(all)
  expect(ran.map(({ work }) => work)).toEqual([0, 1, 2, 3, 4])
  expect(new Set(ran.map(({ turn }) => turn)).size).toBe(5)
})
