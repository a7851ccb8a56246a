import { expect, test } from "vitest"
import { createLedger, writtenValue } from "./ledger.ts"

function twoWrites() {
  const ledger = createLedger()
  const entry = ledger.add(0, "A")
  entry.attempted = 1
  ledger.confirm(entry)
  const afterFirst = performance.now()
  entry.attempted = 2
  const faults = (value: string | undefined, since = performance.now()) => ledger.faults(0, { A: value }, since)
  return { ledger, entry, afterFirst, faults }
}

test("a write that was not confirmed may be there or not", () => {
  const { faults } = twoWrites()
  expect(faults(writtenValue("A", 1))).toEqual([])
  expect(faults(writtenValue("A", 2))).toEqual([])
})

test("what was confirmed before a moment must be there, and what was confirmed after it may be", () => {
  const { ledger, entry, afterFirst, faults } = twoWrites()
  ledger.confirm(entry)
  const since = performance.now()
  expect(faults(writtenValue("A", 1), afterFirst)).toEqual([])
  expect(faults(writtenValue("A", 1), since)).toEqual([
    expect.stringMatching(/^A is 1, but 2 was confirmed \d+ ms ago$/),
  ])
  expect(faults(writtenValue("A", 0), afterFirst)).toEqual([expect.stringMatching(/^A is 0, but 1 was confirmed/)])
  expect(faults(undefined, afterFirst)).toEqual(["A is missing"])
})

test("a value that was never written is wrong", () => {
  const { faults } = twoWrites()
  expect(faults(writtenValue("A", 3))).toEqual(["A is 3, but only 2 were written"])
  expect(faults(`${writtenValue("A", 2)}x`)).toEqual([expect.stringMatching(/^A holds what was never written: 2\.A\./)])
  expect(faults(writtenValue("B", 2))).toEqual([expect.stringMatching(/^A holds what was never written: 2\.B\./)])
})
