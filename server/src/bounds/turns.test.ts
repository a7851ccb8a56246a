import { expect, test } from "vitest"
import { nextTurn } from "./turns.ts"

test("however much long work there is, one piece of it runs per turn of the event loop", async () => {
  let turn = 0
  let isOver = false
  const countTurns = () => {
    turn++
    if (!isOver) setImmediate(countTurns)
  }
  setImmediate(countTurns)
  const ranIn: number[] = []
  const longWork = async () => {
    for (let piece = 0; piece < 5; piece++) {
      await nextTurn()
      ranIn.push(turn)
    }
  }
  await Promise.all([longWork(), longWork(), longWork()])
  isOver = true
  expect(ranIn).toHaveLength(15)
  expect(new Set(ranIn).size).toBe(15)
})
