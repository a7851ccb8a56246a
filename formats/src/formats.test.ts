import { globSync } from "node:fs"
import { basename, join } from "node:path"
import { expect, test } from "vitest"
import { programs, quickConsumers } from "../consumers/index.ts"
import { formatNames, readableFormatNames } from "./index.ts"

const folder = join(import.meta.dirname, "..")

test("every file that defines a format is in the list, under the name of its file", async () => {
  const files = globSync("src/*.ts", { cwd: folder }).filter((file) => !file.endsWith(".test.ts"))
  const modules = await Promise.all(files.map(async (file) => ({ file, exports: await import(join(folder, file)) })))
  const defined = modules.filter(({ exports }) => "docs" in exports).map(({ file }) => basename(file, ".ts"))
  expect(defined.sort()).toEqual([...formatNames].sort())
})

test("every format has vectors, and every file of vectors has its format", () => {
  const wanted = [...formatNames.map((name) => `print-${name}`), ...readableFormatNames.map((name) => `parse-${name}`)]
  const found = globSync("vectors/*.json", { cwd: folder }).map((file) => basename(file, ".json"))
  expect(found.sort()).toEqual(wanted.sort())
})

test("every format has at least one reader that reads it back", () => {
  const read = new Set([...quickConsumers, ...programs].map(({ format }) => format))
  expect(formatNames.filter((name) => !read.has(name))).toEqual([])
})
