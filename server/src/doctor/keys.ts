import type { KeyObject } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../config.ts"
import type { Db } from "../db/schema.ts"
import { fittingRootKeys, nextKeyFile, rootKeyFile } from "../keys/root-key.ts"
import { opensCanary, readEvidence } from "../keys/root-key-evidence.ts"
import { type Finding, fault, ok, warning } from "./finding.ts"

/** Also returns the root keys that open the rows; throws when they do not fit the store. */
export async function checkRootKeys(
  db: Db,
  config: Pick<Config, "rootKey" | "dataDir">,
): Promise<{ findings: Finding[]; rootKeys: KeyObject[] }> {
  const evidence = await readEvidence(db)
  const { bridge } = evidence
  const rootKeys = await fittingRootKeys(config, evidence, "store")
  const place = config.rootKey === undefined ? join(config.dataDir, rootKeyFile) : "ENVKEEP_ROOT_KEY"
  const findings = [
    opensCanary(rootKeys, evidence)
      ? ok(`The root key in ${place} opens the store's canary`)
      : fault(
          `The store's canary is damaged, but the root key in ${place} opens its collections: start the server again`,
        ),
  ]
  const waiting = join(config.dataDir, nextKeyFile)
  if (bridge !== undefined) {
    findings.push(warning("The root key is being replaced: run `npm run rotate-root-key` to see what is left to do"))
  } else if (existsSync(waiting)) {
    findings.push(warning(`${waiting} was left by a replacement of the root key that was never begun or is finished`))
  }
  return { findings, rootKeys }
}
