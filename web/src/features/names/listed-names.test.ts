import type { Environment } from "@envkeep/contract"
import { expect, test } from "vitest"
import { listedNames } from "./listed-names.ts"

const environment = (id: number, name: string, baseId: number | null, names: string[]): Environment => ({
  id,
  name,
  baseId,
  collectionId: 1,
  revision: 1,
  itemCount: names.length,
  isProtected: false,
  valuesHidden: false,
  collectionItems: names.map((one, index) => ({ id: index, name: one, value: "", subCollectionId: id, revision: 1 })),
  apiKeys: [],
})

test("an environment has the names that it sets and those that it inherits", () => {
  const environments = [
    environment(1, "heir", 2, ["OWN"]),
    environment(2, "middle", 3, []),
    environment(3, "base", null, ["SHARED"]),
  ]
  expect(listedNames(environments, new Map())).toMatchObject([
    { about: { name: "OWN" }, usedIn: ["heir"], missingIn: ["middle", "base"] },
    { about: { name: "SHARED" }, usedIn: ["heir", "middle", "base"], missingIn: [] },
  ])
})
