import type { NameChange } from "@envkeep/contract"
import { expect, test } from "vitest"
import { groupChanges, ownChanges, readCompared, reversed, unrestorable } from "./changes.ts"

const none = { state: "removed" as const, value: null }
const set = (value: string) => ({ state: "set" as const, value })
const change = (name: string, before: NameChange["before"], after: NameChange["after"], previousName?: string) => ({
  name,
  previousName: previousName ?? null,
  before,
  after,
})

test("a renamed item is one change, not a removed and an added name", () => {
  const changes = [
    change("NEW", none, set("1"), "OLD"),
    change("OLD", set("1"), none),
    change("PORT", set("80"), set("81")),
    change("ADDED", none, set("")),
    change("GONE", set("x"), none),
  ]
  const { renamed, added, changed, removed } = groupChanges(changes)
  expect(renamed).toEqual([{ name: "NEW", previousName: "OLD", before: set("1"), after: set("1") }])
  expect([added, changed, removed].map((group) => group.map(({ name }) => name))).toEqual([
    ["ADDED"],
    ["PORT"],
    ["GONE"],
  ])
})

test("two items that swap their names are both changed", () => {
  const { changed, renamed } = groupChanges([
    change("A", set("1"), set("2"), "B"),
    change("B", set("2"), set("1"), "A"),
  ])
  expect([changed.map(({ name }) => name), renamed]).toEqual([["A", "B"], []])
})

test("what was inherited is not part of the changes of an environment's own items", () => {
  const inherited = { ...set("base"), inheritedFrom: 7 }
  const changes = [
    change("PASSED_ON", inherited, { ...inherited, value: "new" }),
    change("OVERRIDDEN", inherited, set("own")),
    change("OWN", set("1"), set("2")),
  ]
  expect(ownChanges(changes)).toEqual([change("OVERRIDDEN", none, set("own")), change("OWN", set("1"), set("2"))])
})

test("a restore is the way back, and names what it cannot bring back", () => {
  const erased = { state: "erased" as const, value: null }
  const back = reversed([change("NEW", none, set("1"), "OLD"), change("LEAKED", erased, set("next"))])
  expect(groupChanges(back).removed.map(({ name }) => name)).toEqual(["NEW"])
  expect(unrestorable(back)).toEqual(["LEAKED"])
})

test.each([
  ["3-12", [3, 12]],
  ["12-3", [3, 12]],
  ["3-3", undefined],
  ["0-3", undefined],
  ["3-", undefined],
  ["1e3-4", undefined],
  [null, undefined],
])("?compare=%s names %j", (text, revisions) => {
  expect(readCompared(text)).toEqual(revisions)
})
