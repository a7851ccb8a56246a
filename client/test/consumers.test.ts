import fc from "fast-check"
import { expect, test } from "vitest"
import { programs, quickConsumers } from "../../formats/consumers/index.ts"
import { type Format, formats, load } from "../src/index.ts"
import { envkeep } from "./command.ts"
import { asEnv, world } from "./world.ts"

const consumers = [...quickConsumers, ...programs]
const pieces = [
  "'",
  '"',
  "`",
  "$",
  "!",
  "#",
  "\\",
  "\\n",
  "\n",
  "\r",
  "\t",
  " ",
  "=",
  "é",
  "😀",
  "\u2028",
  "a",
  "$(id)",
  ";",
  "%",
]
const value = fc.array(fc.constantFrom(...pieces), { maxLength: 15 }).map((parts) => parts.join(""))

test.each(formats)("hostile values go through server, client and every reader of %s unchanged", async (format) => {
  const readers = consumers.filter((consumer) => consumer.format === format)
  expect(readers.length).toBeGreaterThan(0)
  const made = await world([])
  const values = fc.sample(value, 120)
  const all = values.map((value, at) => ({ name: `NAME_${at}`, value }))
  await made.bulk(all)
  const refused = await refusedBy(made, format)
  const held = all.filter(({ name }) => !refused.has(name))
  expect(held.length).toBeGreaterThan(20)
  await made.bulk(held)
  const env = asEnv(made)
  const { code, out, err } = await envkeep(["print", "--format", format], { env }).ended
  expect([code, err]).toEqual([0, ""])
  for (const { name, read } of readers) {
    const found = read(out)
    expect([name, held.map((variable) => found.get(variable.name))]).toEqual([name, held.map(({ value }) => value)])
  }
})

async function refusedBy({ url, key }: { url: string; key: string }, format: Format): Promise<Set<string>> {
  const env = await load({ url, key })
  try {
    env.text(format)
    return new Set()
  } catch (error) {
    return new Set(Array.from((error as Error).message.matchAll(/"(NAME_\d+)"/g), ([, name]) => String(name)))
  }
}
