import { expect, test } from "vitest"
import { expectToFollow, languages, present } from "./languages.ts"

test("there are languages with a compiler", () => {
  expect(languages.filter(({ isCompiled }) => isCompiled).map(({ fence }) => fence)).toEqual(["go", "java", "rust"])
})

test.each(present.filter(({ isCompiled }) => isCompiled))(
  "$fence ($needs): reads, keeps what is unchanged, follows a change, and survives failures",
  expectToFollow,
)
