import type { KeyObject } from "node:crypto"
import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../config.ts"
import type { Db } from "../db/schema.ts"
import { hasTable } from "../db/tables.ts"
import { fittingRootKeys, readCanary, rootKeyFile } from "../root-key.ts"
import { readBridge } from "../root-key-bridge.ts"
import { nextKeyFile } from "../root-key-rotation.ts"
import { type Finding, fault, ok, warning } from "./finding.ts"

/** The root keys with which the rows can be looked at; none when they do not fit. */
export async function checkRootKeys(
  db: Db,
  config: Pick<Config, "rootKey" | "dataDir">,
): Promise<{ findings: Finding[]; rootKeys: KeyObject[] }> {
  const canary = await readCanary(db)
  if (canary === undefined)
    return { findings: [fault("The store has no canary: its root key cannot be checked")], rootKeys: [] }
  const bridge = (await hasTable(db, "root_key_bridge")) ? await readBridge(db) : undefined
  const rootKeys = await fittingRootKeys(config, { canary, bridge }, "store")
  const place = config.rootKey === undefined ? join(config.dataDir, rootKeyFile) : "ENVKEEP_ROOT_KEY"
  const findings = [ok(`The root key in ${place} opens the store's canary`)]
  const waiting = join(config.dataDir, nextKeyFile)
  if (bridge !== undefined) {
    findings.push(warning("The root key is being replaced: run `npm run rotate-root-key` to see what is left to do"))
  } else if (existsSync(waiting)) {
    findings.push(warning(`${waiting} was left by a replacement of the root key that was never begun or is finished`))
  }
  return { findings, rootKeys }
}
