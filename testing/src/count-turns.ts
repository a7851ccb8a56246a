import { onTestFinished } from "vitest"

/** Counts the turns of the event loop until the test ends. The function says how many there were. */
export function countTurns(): () => number {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  onTestFinished(() => {
    isOver = true
  })
  return () => turns
}
