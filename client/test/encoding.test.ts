import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loginWorld } from "./login-world.ts"

const hint = "hint: convert it to UTF-8, or encode what is not text as base64\n"
/** As an editor of Windows may write it. */
const latin1 = Buffer.from("NAME=Müller\n", "latin1")

test("what is not in UTF-8 is refused, and never stored with other characters", async () => {
  const { run, cwd, ann, environment } = await loginWorld()
  const file = join(cwd, ".env")
  for (const bytes of [latin1, Buffer.from("\ufeffNAME=Müller\n", "utf16le")]) {
    await writeFile(file, bytes)
    expect(await run(["push", "--yes"])).toEqual({ code: 1, out: "", err: `envkeep: .env is not in UTF-8\n${hint}` })
    expect(await run(["diff"])).toMatchObject({ code: 2, out: "" })
    expect(await run(["set", "NAME", "--yes"], { input: bytes })).toEqual({
      code: 1,
      out: "",
      err: `envkeep: standard input is not in UTF-8\n${hint}`,
    })
  }
  expect((await ann.itemsOf(environment)).map(({ name }) => name)).toEqual(["A"])
})

test("a byte order mark is left out of a file, and is a part of a value", async () => {
  const { run, cwd, ann, environment } = await loginWorld([])
  await writeFile(join(cwd, ".env"), "\ufeffFROM_FILE=Müller\n")
  await run(["push", "--yes"])
  await run(["set", "TYPED", "--yes"], { input: "\ufeffMüller\n" })
  expect((await ann.itemsOf(environment)).map(({ name, value }) => [name, value])).toEqual([
    ["FROM_FILE", "Müller"],
    ["TYPED", "\ufeffMüller"],
  ])
})
