import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { docsFile, formatsDocs } from "../docs.ts"
import { formats } from "./index.ts"

test("docs/formats.md is current: run `npm run docs` after changing a format", async () => {
  expect(readFileSync(docsFile, "utf8")).toBe(await formatsDocs())
})

test("every name that docs/formats.md calls reserved by shells is refused", async () => {
  const [, line = ""] = /^- (Shells evaluate .*)$/m.exec(await formatsDocs()) ?? []
  const names = Array.from(line.matchAll(/`([A-Z_]+)`/g), ([, name = ""]) => name)
  expect(names.length).toBeGreaterThan(30)
  for (const name of names) {
    expect(formats.shell.print([{ name, value: "1" }])).toEqual({
      refused: [{ name, reason: "shells reserve this name" }],
    })
  }
})
