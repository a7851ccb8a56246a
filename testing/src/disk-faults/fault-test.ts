import { test } from "vitest"
import type { FaultClass, FaultKind } from "./control.ts"
import { whyNoFaults } from "./library.ts"

/** What can happen to work that changes a store and reads it. */
export const faultsOfWork: [FaultKind, FaultClass][] = [
  ["EIO", "changes"],
  ["ENOSPC", "changes"],
  ["a short write", "changes"],
  ["the end of the process", "changes"],
  ["EIO", "reads"],
]

/** Without a compiler these tests cannot run. They are listed then, with the reason; the workflow must have one. */
export function faultTest(name: string, work: () => Promise<void>): void {
  if (whyNoFaults !== undefined && process.env["CI"] !== undefined) throw new Error(`no disk can fail: ${whyNoFaults}`)
  if (whyNoFaults === undefined) test(name, work)
  else test.skip(`${name} (not run, because ${whyNoFaults})`, work)
}
