import { getEventListeners } from "node:events"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { unlessAborted, withDeadline } from "./deadline.ts"

test("a promise that takes too long gives what stands in for it", async () => {
  const never = new Promise<string>(() => undefined)
  expect(await withDeadline(Promise.resolve("in time"), 1_000, () => "late")).toBe("in time")
  expect(await withDeadline(never, 1, () => "late")).toBe("late")
  const refuse = () => {
    throw new Error("too late")
  }
  await expect(withDeadline(never, 1, refuse)).rejects.toThrow("too late")
})

test("an answer that arrives while the process is busy is in time", async () => {
  const answer = new Promise((resolve) => setTimeout(resolve, 5, "in time"))
  const outcome = withDeadline(answer, 1, () => "late")
  const busyUntil = performance.now() + 20
  while (performance.now() < busyUntil);
  expect(await outcome).toBe("in time")
})

test("an aborted wait fails with the reason, and a wait that has ended leaves nothing on the signal", async () => {
  const lost = new AbortController()
  expect(await unlessAborted(lost.signal, Promise.resolve("done"))).toBe("done")
  await expect(unlessAborted(lost.signal, Promise.reject(new Error("failed")))).rejects.toThrow("failed")
  await new Promise(setImmediate)
  expect(getEventListeners(lost.signal, "abort")).toEqual([])

  const waiting = unlessAborted(lost.signal, new Promise(() => undefined))
  lost.abort(new Error("the connection ended"))
  await expect(waiting).rejects.toThrow("the connection ended")
  await expect(unlessAborted(lost.signal, new Promise(() => undefined))).rejects.toThrow("the connection ended")
})
