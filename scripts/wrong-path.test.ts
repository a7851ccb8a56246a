import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { expect, test } from "vitest"

test("a path that no test has is one sentence", () => {
  const args = [join(import.meta.dirname, "test.ts"), "unit", "wrong/path"]
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" })
  expect([status, stdout, stderr.trim().split("\n").at(-1)]).toEqual([2, "", "No test file has wrong/path in its path"])
})
