import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { sortedNames } from "./sorted-names.ts"

test("names that are added in any order are there once, sorted", async () => {
  for (const count of [0, 1, 499, 500, 501, 12_345]) {
    const names = sortedNames()
    const added: string[] = []
    for (let round = 0; round < 7; round++) {
      const some = Array.from({ length: count }, (_, at) => `N_${(at * 7_919 + round * 1_000) % 20_011}`)
      added.push(...some)
      await names.add(some)
    }
    expect(await names.all()).toEqual([...new Set(added)].toSorted())
  }
})
