import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { quickConsumers } from "../consumers/index.ts"
import { formats, parse, print, readableFormats, type Variable } from "./index.ts"

interface PrintVector {
  title: string
  variables: Variable[]
  text?: string
  refused?: { name: string; reason: string }[]
}

interface ParseVector {
  title: string
  text: string
  variables: Variable[]
  faults: { line: number; reason: string }[]
}

function vectors<Vector>(name: string): Vector[] {
  return JSON.parse(readFileSync(join(import.meta.dirname, `../vectors/${name}.json`), "utf8"))
}

describe.each(formats)("%s prints or refuses", (format) => {
  test.each(vectors<PrintVector>(`print-${format}`))("$title", ({ variables, text, refused }) => {
    expect(print(format, variables)).toEqual(text === undefined ? { refused } : { text })
    for (const consumer of quickConsumers.filter((consumer) => consumer.format === format)) {
      if (text === undefined) continue
      expect([consumer.name, asked(consumer.read(text), variables)]).toEqual([consumer.name, variables])
    }
  })
})

describe.each(readableFormats)("%s reads or reports", (format) => {
  test.each(vectors<ParseVector>(`parse-${format}`))("$title", ({ text, variables, faults }) => {
    expect(parse(format, text)).toEqual({ variables, faults })
  })
})

test("there are at least 150 vectors, no two of a kind with one title", () => {
  const titles = [
    ...formats.flatMap((format) =>
      vectors<PrintVector>(`print-${format}`).map(({ title }) => `print ${format} ${title}`),
    ),
    ...readableFormats.flatMap((format) => vectors<ParseVector>(`parse-${format}`).map(({ title }) => format + title)),
  ]
  expect(titles.length).toBeGreaterThanOrEqual(150)
  expect(new Set(titles).size).toBe(titles.length)
})

function asked(found: Map<string, string>, variables: Variable[]): unknown {
  return variables.map(({ name }) => ({ name, value: found.get(name) }))
}
