import type { KeyObject } from "node:crypto"
import { verdictLines } from "../audit/verdict-lines.ts"
import { hasAudit, verifyAudit } from "../audit/verify.ts"
import type { Db } from "../db/schema.ts"
import { type Finding, fault, ok } from "./finding.ts"

/** Whether the events prove themselves. Stores of older versions have none. */
export async function checkAudit(snapshot: Db, rootKeys: readonly KeyObject[]): Promise<Finding[]> {
  if (!(await hasAudit(snapshot))) return []
  const verdict = await verifyAudit(snapshot, rootKeys)
  const [line = ""] = verdictLines(verdict)
  return [verdict.isIntact ? ok(line) : fault(line)]
}
