import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loginWorld } from "./login-world.ts"

const variables = [
  { name: "A", value: "first value" },
  { name: "B", value: "second value" },
]

test("diff refuses to compare values that the login does not see", async () => {
  const { run, cwd, ann, environment } = await loginWorld(variables, "names")
  await ann.item(await ann.environment("staging", environment.collectionId), "A", "another value")
  await writeFile(join(cwd, ".env"), "A=first value\n")
  for (const sides of [["staging", "production"], ["staging", "staging"], [], ["rev:2"], ["--from", "2"]]) {
    expect(await run(["diff", ...sides])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("envkeep: this login sees the names of this environment, but not its values\n"),
    })
  }
})

test("a damaged value is never the same as another, and is named as damaged", async () => {
  const { run, db } = await loginWorld(variables)
  await db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("name", "=", "B")
    .execute()
  expect(await run(["diff", "production", "production"])).toEqual({
    code: 1,
    out: "~ B=(hidden) -> (hidden)\n",
    err: "",
  })
  expect(await run(["get", "B"])).toEqual({
    code: 1,
    out: "",
    err: 'envkeep: the value of "B" is damaged on the server\n',
  })
  // What is not changed is not listed.
  expect((await run(["set", "A=new value", "--yes"])).err).toMatch(/^~ A=\*{8} -> \*{8}\nenvkeep: saved 1 change /)
})
