import { readFileSync } from "node:fs"
import { join } from "node:path"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { commands } from "./commands.ts"

test.each(commands.map(({ name, usage }) => [name, usage]))("npm run %s is there, as its usage says", (name, usage) => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"))
  expect(scripts[name]).toMatch(new RegExp(` ${name}$`))
  expect(usage.startsWith(`npm run ${name}`)).toBe(true)
})
