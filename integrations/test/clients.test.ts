import { expect, test } from "vitest"
import { codeOf, expectToFollow, languages, present } from "./languages.ts"
import { hasCurl } from "./world.ts"

// Languages with a compiler are in `clients.long.test.ts`: it takes longer than everything else.

test("the page has the code of every language that is run, and the shells take part wherever curl can be had", () => {
  for (const { fence } of languages) expect(codeOf(fence)).toMatch(/refresh/i)
  if (hasCurl) expect(present.map(({ start }) => start("")[0])).toEqual(expect.arrayContaining(["sh", "bash", "dash"]))
})

test.each(present.filter(({ isCompiled }) => !isCompiled))(
  "$fence ($needs): reads, keeps what is unchanged, follows a change, and survives failures",
  expectToFollow,
)
