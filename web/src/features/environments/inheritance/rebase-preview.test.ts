import type { Environment, Item } from "@envkeep/contract"
import { expect, test } from "vitest"
import { type Inheritance, inheritanceOf } from "../../../lib/inheritance.ts"
import { rebasePreview } from "./rebase-preview.ts"

const environment = (name: string, ...names: string[]) =>
  ({ name, collectionItems: names.map((one) => ({ name: one }) as Item) }) as Environment
const heir = environment("staging", "LEVEL")
const shared = environment("shared", "LEVEL", "PORT", "HOST")

test("a base is told with what comes from it, what stays and what goes", () => {
  const none = inheritanceOf(heir, [])
  const some = inheritanceOf(heir, [shared])
  const other = inheritanceOf(heir, [environment("other", "PORT")])
  const preview = (before: Inheritance, after: Inheritance) => rebasePreview("staging", before, after)
  expect(preview(none, some)).toEqual([
    "2 variables come from shared.",
    "1 variable is set in both: staging keeps its own.",
  ])
  expect(preview(some, other)).toEqual(["1 variable comes from other.", "1 variable that it inherits now is gone."])
  expect(preview(some, none)).toEqual([
    "staging then has only what it sets itself.",
    "2 variables that it inherits now are gone.",
  ])
})
