import type { Environment } from "@envkeep/contract"
import { expect, test } from "vitest"
import { hasValues, planCopy, sourceOf } from "./copy-plan.ts"

function environment(id: number, values: Record<string, string | null>, given: Partial<Environment> = {}): Environment {
  return {
    id,
    name: `environment ${id}`,
    collectionId: 1,
    revision: 1,
    itemCount: Object.keys(values).length,
    isProtected: false,
    baseId: null,
    valuesHidden: false,
    collectionItems: Object.entries(values).map(([name, value], at) => ({
      id: at + 1,
      name,
      value,
      subCollectionId: id,
      revision: 1,
    })),
    apiKeys: [],
    ...given,
  }
}

test("a copy is planned with what both environments inherit", () => {
  const base = environment(1, { SHARED: "base", SET: "base", SAME: "base" })
  const source = environment(2, { SET: "source", OWN: "x", EMPTY: "", BROKEN: null }, { baseId: 1 })
  const target = environment(3, { OWN: "y", BROKEN: "z", SAME: "other" }, { baseId: 1 })
  const plan = planCopy(source, target, [base, source, target])
  expect(plan).toEqual({
    rows: [
      { name: "EMPTY", kind: "missing", before: undefined, after: "", overrides: false },
      { name: "OWN", kind: "different", before: "y", after: "x", overrides: false },
      { name: "SAME", kind: "different", before: "other", after: "base", overrides: false },
      { name: "SET", kind: "different", before: "base", after: "source", overrides: true },
    ],
    same: 1,
    damaged: ["BROKEN"],
  })
})

test("only an environment whose values are shown can be copied from, also if it only inherits", () => {
  const base = environment(1, { A: "1" })
  const heir = environment(2, {}, { baseId: 1 })
  const all = [base, heir, environment(3, {}), environment(4, { A: null }, { valuesHidden: true })]
  expect(all.map((one) => hasValues(one, all))).toEqual([true, true, false, false])
})

test("chosen names are copied from the environment that has most of them, set or inherited", () => {
  const [first, base] = [environment(1, { OLD: "1", BOTH: "1" }), environment(2, { NEW: "1", NEWER: "1", BOTH: "1" })]
  const heir = environment(3, {}, { baseId: 2 })
  const all = [first, base, heir]
  expect(sourceOf(["NEW", "NEWER"], all, all)).toBe(base)
  expect(sourceOf(["NEW", "NEWER"], [first, heir], all)).toBe(heir)
  expect(sourceOf(["BOTH"], all, all)).toBe(first)
  expect(sourceOf([], all, all)).toBe(first)
  expect(sourceOf([], [], all)).toBeUndefined()
})
