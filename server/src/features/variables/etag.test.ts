import { readFileSync } from "node:fs"
import { join } from "node:path"
import { formatNames, formats, type Variable } from "@envkeep/formats"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { etagOf, printerVersion } from "./etag.ts"

test.each(formatNames)(
  "the ETag changes when the printer of %s writes anything of its vectors in another way",
  (name) => {
    const { print } = formats[name]
    const version = printerVersion(print)
    expect(etagOf(7, 3, name)).toBe(`"7-3-${name}-${version}"`)
    expect(printerVersion(print)).toBe(version)

    const texts: { value: string; text: string }[] = []
    printerVersion((variables) => {
      const printed = print(variables)
      if ("text" in printed) texts.push({ value: variables.map(({ value }) => value).join(), text: printed.text })
      return printed
    })
    // Whatever it writes otherwise, it has written here.
    expect(piecesOf(name).filter((piece) => !texts.some(({ value }) => value.includes(piece)))).toEqual([])
    for (const { text } of texts.filter((_, at) => at % 500 === 0)) {
      const writesOneOtherwise = (variables: Variable[]) => {
        const printed = print(variables)
        return "text" in printed && printed.text === text ? { text: `${text}#` } : printed
      }
      expect([text, printerVersion(writesOneOtherwise)]).not.toEqual([text, version])
    }
  },
)

/** What the vectors of a format put in values: each character, and each two side by side that are not letters or digits. */
function piecesOf(name: string): string[] {
  const path = join(import.meta.dirname, `../../../../formats/vectors/print-${name}.json`)
  const list: { variables: Variable[]; text?: string }[] = JSON.parse(readFileSync(path, "utf8"))
  const printed = list.filter(({ text }) => text !== undefined).flatMap(({ variables }) => variables)
  const values = printed.map(({ value }) => Array.from(value))
  // Letters of far alphabets are all the same to a format.
  const characters = values.flat().filter((one) => /\P{L}|[\0-\xff]/u.test(one))
  const pairs = values.flatMap((value) => value.map((one, at) => one + (value[at + 1] ?? "")))
  return [...new Set([...characters, ...pairs.filter((pair) => /^[ \t\n\r!-/:-@[-`{-~]{2}$/.test(pair))])]
}
