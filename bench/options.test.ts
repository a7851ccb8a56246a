import { expect, test } from "vitest"
import { groups } from "./groups.ts"
import { groupNames, readOptions } from "./options.ts"

test("the options know every group", () => {
  expect(groupNames).toEqual(groups.map(({ name }) => name))
})

test.each([
  [["write"], "There is no group write"],
  [["--engine", "mysql"], "--engine must be one of sqlite, postgres"],
  [["--minutes", "short"], "--minutes must be a number, 0.1 or more"],
  [["--scale", "2"], "--scale must be a number, 0.000001 or more, and up to 1"],
  [["--seed"], "Option '--seed <value>' argument missing"],
])("the benchmark refuses %j", (args, sentence) => {
  expect(() => readOptions(args)).toThrow(sentence)
})
