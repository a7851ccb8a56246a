import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loginWorld } from "./login-world.ts"

test("pull names the values that are damaged on the server, and writes the others", async () => {
  const { run, cwd, ann, environment, db } = await loginWorld([{ name: "GOOD", value: "1" }])
  const { id } = await ann.item(environment, "BAD", "a value that is lost")
  await db
    .updateTable("item")
    .set({ sealed_value: Buffer.alloc(40) })
    .where("id", "=", id)
    .execute()
  expect(await run(["pull"])).toEqual({
    code: 0,
    out: "",
    err:
      "envkeep: left out, damaged on the server: BAD\n" +
      "envkeep: wrote 1 variable of app/production, revision 3, to .env\n",
  })
  expect(await readFile(join(cwd, ".env"), "utf8")).toMatch(/\nGOOD=1\n$/)
  expect((await run(["pull", "--only", "GOOD"])).err).not.toContain("damaged")
})
