import { expect, test } from "vitest"
import { byDay, whatWasDone } from "./words.ts"

const named = (...names: string[]) => names.map((name) => ({ name, previousName: null }))

test.each([
  ["items.save", { changed: 2, added: 1 }, "changed 2, added 1"],
  ["items.save", {}, "saved the list"],
  ["item.delete", { removed: 1_200 }, "removed 1,200"],
  ["environment.create", {}, "created the environment"],
  ["environment.rename", {}, "renamed the environment"],
  ["environment.rebase", { baseId: 7 }, "made it inherit from shared"],
  ["environment.rebase", { baseId: 8 }, "made it inherit from a deleted environment"],
  ["environment.rebase", {}, "ended the inheritance"],
  ["environment.rebase", { added: 2 }, "ended the inheritance: added 2"],
  ["environment.restore", { source: 12, changed: 1 }, "restored revision 12: changed 1"],
  ["item.restore", { source: 12, added: 1 }, "restored an item from revision 12"],
  ["item.restore", { source: 12, added: 1, names: named("PORT") }, "restored PORT from revision 12"],
  [
    "item.copy",
    { source: 12, sourceEnvironment: { id: 1, name: "staging" }, added: 1, changed: 2 },
    "copied from staging, revision 12: changed 2, added 1",
  ],
  ["collection.duplicate", { added: 3 }, "duplicated another collection"],
  ["item.edit", { changed: 1, names: named("PORT") }, "changed PORT"],
  ["item.edit", { changed: 1, names: [{ name: "PORT", previousName: "OLD" }] }, "renamed OLD to PORT"],
  ["items.save", { added: 3, names: named("A", "B", "C") }, "added A, B and C"],
  ["items.save", { added: 1, removed: 1, names: named("A", "B") }, "added 1, removed 1"],
  ["history.begin", { added: 8 }, "with 8 items"],
  ["an.action-of-a-later-version", { added: 1 }, "added 1"],
])("%s %j is told in plain words", (action, counts, words) => {
  const none = { added: 0, changed: 0, removed: 0, source: null, sourceEnvironment: null, names: [], baseId: null }
  expect(whatWasDone({ action, ...none, ...counts }, new Map([[7, "shared"]]))).toBe(words)
})

test("entries are grouped by day, also over the change of the clock and a year", () => {
  const at = (...date: [number, number, number, number]) => ({ at: new Date(...date).toISOString() })
  const entries = [at(2026, 2, 30, 0), at(2026, 2, 29, 23), at(2026, 2, 29, 1), at(2026, 2, 27, 9), at(2025, 2, 30, 9)]
  expect(byDay(entries, new Date(2026, 2, 30, 12)).map(({ day, entries }) => [day, entries.length])).toEqual([
    ["Today", 1],
    ["Yesterday", 2],
    ["Friday, March 27", 1],
    ["Sunday, March 30, 2025", 1],
  ])
})
