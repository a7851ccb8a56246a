import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { docsFile, formatsDocs } from "../docs.ts"
import { print } from "./index.ts"

test("docs/formats.md says what the formats do now: run `node formats/docs.ts` after changing them", () => {
  expect(readFileSync(docsFile, "utf8")).toBe(formatsDocs())
})

test("every name that docs/formats.md calls a shell's own is refused", () => {
  const [, line = ""] = /^- (Shells evaluate .*)$/m.exec(formatsDocs()) ?? []
  const names = Array.from(line.matchAll(/`([A-Z_]+)`/g), ([, name = ""]) => name)
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) {
    expect(print("shell", [{ name, value: "1" }])).toEqual({
      refused: [{ name, reason: "shells keep this name for themselves" }],
    })
  }
})
