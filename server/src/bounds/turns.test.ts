import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, vi } from "vitest"
import { createTurns, eachWithPauses, mapWithPauses, nextTurn, ownTurn, withPauses } from "./turns.ts"

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

const oneCaller = () => "one"

/** So that a busy machine does not decide. */
function stoppedClock() {
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now)
  onTestFinished(() => clock.mockRestore())
  return {
    pass(ms: number) {
      now += ms
    },
  }
}

test("turns that are given out begin the first work before they return, and the rest in order", async () => {
  const turn = countTurns()
  const ran: { work: number; turn: number }[] = []
  const turns = createTurns()
  for (let work = 0; work < 5; work++) turns.take(oneCaller, () => ran.push({ work, turn: turn() }) > 0)
  expect(ran).toEqual([{ work: 0, turn: 0 }])
  expect(turns.waiting()).toBe(4)
  while (turns.waiting() > 0) await nextTurn()
  expect(ran.map(({ work }) => work)).toEqual([0, 1, 2, 3, 4])
  expect(new Set(ran.map(({ turn }) => turn)).size).toBeGreaterThan(1)
})

test("work that has nothing to do any more takes no turn", async () => {
  const turns = createTurns()
  const begun: string[] = []
  const take = (name: string, hasWork: boolean) => turns.take(oneCaller, () => begun.push(name) > 0 && hasWork)
  take("first", true)
  for (let at = 0; at < 100; at++) take("gone", false)
  take("last", true)
  await nextTurn()
  expect(begun).toHaveLength(102)
})

test("after a long turn, as much begins as would have begun in short ones", async () => {
  const turns = createTurns()
  let begun = 0
  const take = () => turns.take(oneCaller, () => ++begun > 0)
  const clock = stoppedClock()
  for (let at = 0; at < 12; at++) take()
  clock.pass(20)
  await nextTurn()
  expect(begun).toBe(12)
})

test("what takes long itself does not make the next turn longer", async () => {
  const turns = createTurns()
  const clock = stoppedClock()
  let begun = 0
  const busy = () => {
    clock.pass(20)
    return ++begun > 0
  }
  for (let at = 0; at < 5; at++) turns.take(oneCaller, busy)
  await nextTurn()
  expect(begun).toBe(2)
})

test("callers take turns, so that one with much to do waits for itself", async () => {
  const turns = createTurns()
  const begun: string[] = []
  const take = (caller: string, work: string) =>
    turns.take(
      () => caller,
      () => begun.push(work) > 0,
    )
  for (const work of ["a1", "a2", "a3", "a4"]) take("a", work)
  take("b", "b1")
  while (turns.waiting() > 0) await nextTurn()
  expect(begun).toEqual(["a1", "a2", "b1", "a3", "a4"])
})

const rows = Array.from({ length: 10 }, (_, row) => row)

test("a long list lets others have their turn when one is due, and not before", async () => {
  const clock = stoppedClock()
  const turn = countTurns()
  const ranIn: number[] = []
  await eachWithPauses(rows, () => {
    ranIn.push(turn())
    clock.pass(2)
  })
  // Three rows take more than the 5 ms of a piece.
  expect(ranIn.map((one) => ranIn.indexOf(one))).toEqual([0, 0, 0, 3, 3, 3, 6, 6, 6, 9])

  ranIn.length = 0
  await eachWithPauses(rows, () => void ranIn.push(turn()))
  expect(new Set(ranIn).size).toBe(1)
})

test("what a long list becomes has the same order", async () => {
  const clock = stoppedClock()
  const doubled = await mapWithPauses(rows, (row) => {
    clock.pass(2)
    return 2 * row
  })
  expect(doubled).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18])
})

test("work that waits pauses too, and ends its list when it stops early", async () => {
  const clock = stoppedClock()
  const turn = countTurns()
  const given: number[] = []
  let isEnded = false
  async function* later() {
    try {
      yield* rows
    } finally {
      isEnded = true
    }
  }
  const started = turn()
  for await (const row of withPauses(later())) {
    given.push(row)
    clock.pass(10)
    if (row === 4) break
  }
  expect(given).toEqual([0, 1, 2, 3, 4])
  expect(isEnded).toBe(true)
  expect(turn() - started).toBeGreaterThanOrEqual(4)
})
