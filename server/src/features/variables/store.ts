import type { KeyHolder } from "../../access/key-holder.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// A key reads one environment: every query starts at the key's hash.

export interface VariableRow {
  revision: number
  /** Null, like the sealed value, in the only row of an environment without items. */
  name: string | null
  sealedValue: Uint8Array | null
}

/** The items and their revision in one statement, so that they always belong together. */
export function variableRows(db: Reader, { keyHash }: KeyHolder): Promise<VariableRow[]> {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .leftJoin("item", "item.environment_id", "environment.id")
    .select(["environment.revision", "item.name", "item.sealed_value as sealedValue"])
    .where("api_key.key_hash", "=", keyHash)
    .orderBy("item.id")
    .execute()
}

const keysPerStatement = 1_000

export async function setLastUsed(tx: Tx, keyHashes: string[], at: number): Promise<void> {
  for (let start = 0; start < keyHashes.length; start += keysPerStatement) {
    await tx
      .updateTable("api_key")
      .set({ last_used_at: at })
      .where("key_hash", "in", keyHashes.slice(start, start + keysPerStatement))
      .execute()
  }
}
