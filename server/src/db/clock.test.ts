import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { createClock } from "./clock.ts"

test("our clock keeps going when the machine's clock is set back, and includes the time the machine slept", () => {
  const machine = { monotonic: 5_000, wall: 1_000_000 }
  const now = createClock({ monotonic: () => machine.monotonic, wall: () => machine.wall })
  const pass = (ms: number) => {
    machine.monotonic += ms
    machine.wall += ms
  }
  expect(now()).toBe(0)
  pass(700)
  expect(now()).toBe(700)
  machine.wall -= 3_600_000
  expect(now()).toBe(700)
  pass(100)
  expect(now()).toBe(800)
  machine.wall += 60_000
  expect(now()).toBe(60_800)
})

test("our clock is as fast as the machine's, however often it is asked", () => {
  const machine = { microseconds: 0 }
  const now = createClock({
    monotonic: () => machine.microseconds / 1000,
    wall: () => Math.floor(machine.microseconds / 1000),
  })
  for (let calls = 1; calls <= 100_000; calls++) {
    machine.microseconds += 70
    now()
  }
  expect(now()).toBe(7_000)
})
