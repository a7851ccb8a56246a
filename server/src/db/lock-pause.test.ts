import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { createLockPause } from "./lock-pause.ts"

const refusal = Object.assign(new Error("locking protocol"), { code: "ERR_SQLITE_ERROR", errcode: 15 })
const refuse = () => {
  throw refusal
}

test("after a refused lock, nothing asks for one until the pause has passed", () => {
  const paused = createLockPause()
  expect(paused(() => 1)).toBe(1)
  expect(() => paused(refuse)).toThrow(refusal)
  let asked = 0
  expect(() => paused(() => asked++)).toThrow(refusal)
  expect(asked).toBe(0)
  expect(paused(() => 2, true)).toBe(2)

  const unpaused = createLockPause(0)
  expect(() => unpaused(refuse)).toThrow(refusal)
  expect(unpaused(() => 1)).toBe(1)
})

test("another fault makes no pause", () => {
  const paused = createLockPause()
  const busy = Object.assign(new Error("database is locked"), { code: "ERR_SQLITE_ERROR", errcode: 5 })
  const fail = () => {
    throw busy
  }
  expect(() => paused(fail)).toThrow(busy)
  expect(paused(() => 1)).toBe(1)
})
