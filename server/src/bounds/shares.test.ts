import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { Shares } from "./shares.ts"

/** Takes for each of these callers in this order, and says who got it, in order, while `release` is called. */
async function takes(bounds: { total: number; perCaller: number }, callers: (string | [string, number])[]) {
  const shares = new Shares({ ...bounds, waitingPerCaller: 100 })
  const got: string[] = []
  const held: (() => void)[] = []
  for (const [index, wanted] of callers.entries()) {
    const [caller, amount] = typeof wanted === "string" ? [wanted, 1] : wanted
    void shares.take(caller, amount).then((giveBack) => {
      got.push(`${caller}${index}`)
      held.push(giveBack)
    })
  }
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  await settle()
  const atOnce = [...got]
  while (held.length > 0) {
    held.shift()?.()
    await settle()
  }
  return { atOnce, got, state: shares.state() }
}

test("a caller gets its share, others are served beside it, and all of it is given back", async () => {
  const { atOnce, got, state } = await takes({ total: 4, perCaller: 2 }, ["a", "a", "a", "a", "b", "c"])
  expect(atOnce).toEqual(["a0", "a1", "b4", "c5"])
  expect(got).toHaveLength(6)
  expect(state).toEqual({ taken: 0, waiting: 0 })
})

test("callers take turns: one that asked a hundred times waits for itself", async () => {
  const { got } = await takes({ total: 1, perCaller: 1 }, ["a", "a", "a", "a", "b", "c", "b"])
  expect(got).toEqual(["a0", "b4", "c5", "a1", "b6", "a2", "a3"])
})

test("a large wish is not passed by for ever, and one larger than a share gets the whole share", async () => {
  const { got } = await takes({ total: 4, perCaller: 4 }, [
    ["a", 3],
    ["b", 9],
    ["c", 1],
    ["c", 1],
  ])
  expect(got).toEqual(["a0", "b1", "c2", "c3"])
})

test("a caller with too many waiting requests is refused, and the others are not", async () => {
  const shares = new Shares({ total: 1, perCaller: 1, waitingPerCaller: 2 })
  const giveBack = await shares.take("a")
  const waiting = [shares.take("a"), shares.take("a")]
  expect(() => shares.take("a")).toThrow("Too many requests at the same time")
  const other = shares.take("b")
  giveBack()
  giveBack()
  for (const one of [other, ...waiting]) (await one)?.()
  expect(shares.state()).toEqual({ taken: 0, waiting: 0 })
})

test("what fails gives its share back", async () => {
  const shares = new Shares({ total: 1, perCaller: 1, waitingPerCaller: 2 })
  await expect(shares.use("a", () => Promise.reject(new Error("no")))).rejects.toThrow("no")
  expect(await shares.use("a", async () => "yes")).toBe("yes")
})

test("a long queue of short work does not become one long piece of work", async () => {
  const shares = new Shares({ total: 3, perCaller: 3, waitingPerCaller: 100 })
  const turn = countTurns()
  const startedIn: number[] = []
  await Promise.all(Array.from({ length: 20 }, () => shares.use("a", async () => void startedIn.push(turn()))))
  expect(startedIn.slice(0, 3)).toEqual([0, 0, 0])
  expect(new Set(startedIn.slice(3)).size).toBe(17)
})

test("one that has left its place for a while comes before the caller's others", async () => {
  const shares = new Shares({ total: 1, perCaller: 1, waitingPerCaller: 100 })
  const order: string[] = []
  const giveBack = await shares.take("a")
  const later = shares.use("a", async () => void order.push("later"))
  const back = shares.takeNext("a").then((release) => {
    order.push("back")
    release()
  })
  giveBack()
  await Promise.all([later, back])
  expect(order).toEqual(["back", "later"])
})
