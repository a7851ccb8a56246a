import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { join } from "node:path"
import { expect, test } from "vitest"
import type * as source from "../src/index.ts"
import { world } from "./world.ts"

// Runs the vectors of formats/ through a real server and the published package.

const published: typeof source = createRequire(import.meta.url)("../dist/index.cjs")

interface Vector {
  title: string
  variables: { name: string; value: string }[]
  text?: string
  refused?: { name: string; reason: string }[]
}

test.each(published.formats)("what the server can store is printed as the vectors of %s say", async (format) => {
  const { url, key, bulk } = await world()
  const file = join(import.meta.dirname, `../../formats/vectors/print-${format}.json`)
  const vectors: Vector[] = JSON.parse(await readFile(file, "utf8"))
  let stored = 0
  for (const { title, variables, text, refused = [] } of vectors) {
    await bulk([{ name: "between two vectors", value: "" }])
    const { status } = await bulk(variables)
    const isTrimmed = variables.some(({ name }) => name !== name.trim())
    if (status !== 200 || isTrimmed) continue
    stored++
    const env = await published.load({ url, key })
    if (text !== undefined) expect([title, env.text(format)]).toEqual([title, text])
    const sentence = refused.map(({ name, reason }) => `${JSON.stringify(name)} (${reason})`).join(", ")
    if (text === undefined) {
      expect(() => env.text(format), title).toThrow(
        new published.EnvkeepError("refused_format", `The format ${format} cannot hold ${sentence}`),
      )
    }
  }
  expect(stored).toBeGreaterThan(15)
})
