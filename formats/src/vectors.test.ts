import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { quickConsumers } from "../consumers/index.ts"
import { type FormatName, formatNames, formats, readableFormatNames, type Variable } from "./index.ts"

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

describe.each(formatNames)("%s prints or refuses", (name) => {
  test.each(vectors<PrintVector>(`print-${name}`))("$title", ({ variables, text, refused }) => {
    expect(formats[name].print(variables)).toEqual(text === undefined ? { refused } : { text })
    expect(printInPieces(name, variables)).toEqual(text === undefined ? { refused } : { text })
    for (const consumer of quickConsumers.filter((consumer) => consumer.format === name)) {
      if (text === undefined) continue
      expect([consumer.name, pick(consumer.read(text), variables)]).toEqual([consumer.name, variables])
    }
  })
})

describe.each(readableFormatNames)("%s reads or reports", (name) => {
  test.each(vectors<ParseVector>(`parse-${name}`))("$title", ({ text, variables, faults }) => {
    expect(formats[name].parse(text)).toEqual({ variables, faults })
  })
})

test("there are at least 150 vectors, and no two of a format share a title", () => {
  const titles = [
    ...formatNames.flatMap((name) =>
      vectors<PrintVector>(`print-${name}`).map(({ title }) => `print ${name} ${title}`),
    ),
    ...readableFormatNames.flatMap((name) => vectors<ParseVector>(`parse-${name}`).map(({ title }) => name + title)),
  ]
  expect(titles.length).toBeGreaterThanOrEqual(150)
  expect(new Set(titles).size).toBe(titles.length)
})

function pick(found: Map<string, string>, variables: Variable[]): unknown {
  return variables.map(({ name }) => ({ name, value: found.get(name) }))
}

function printInPieces(name: FormatName, variables: Variable[]): unknown {
  const printer = formats[name].startPrinting()
  const pieces = variables.map(printer.add)
  const last = printer.end()
  return "text" in last ? { text: [...pieces, last.text].join("") } : last
}
