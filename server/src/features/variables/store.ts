import { sql } from "kysely"
import { nextTurn } from "../../bounds/turns.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// A key reads one environment, which `access/key-holder.ts` finds by the key's hash. Its rows serve all of its keys.

/** What belongs to an item is null in the only row of an environment that has no further items. */
export interface VariableRow {
  revision: number
  id: number | null
  name: string | null
  sealedValue: Uint8Array | null
}

/**
 * Items and the revision in one statement, so that they always belong together. By name, because that has an index: by
 * id, the engine would have to sort the whole environment for each batch.
 */
export function variableRows(
  db: Reader,
  environmentId: number,
  { afterName, maxRows }: { afterName: string | undefined; maxRows: number },
): Promise<VariableRow[]> {
  return db
    .selectFrom("environment")
    .leftJoin("item", (join) => {
      const items = join.onRef("item.environment_id", "=", "environment.id")
      return afterName === undefined ? items : items.on("item.name", ">", afterName)
    })
    .select(["environment.revision", "item.id", "item.name", "item.sealed_value as sealedValue"])
    .where("environment.id", "=", environmentId)
    .orderBy("item.name")
    .limit(maxRows)
    .execute()
}

const keysPerStatement = 250

/** When these keys were last used, and by which program. */
export interface KeyUse {
  keyHash: string
  /** The program, if it said which one it is. */
  by: string | null
}

/** Many keys in one statement, whatever programs used them: each statement is a commit. */
export async function setLastUsed(tx: Tx, uses: readonly KeyUse[], at: number): Promise<void> {
  for (let start = 0; start < uses.length; start += keysPerStatement) {
    await nextTurn()
    const some = uses.slice(start, start + keysPerStatement)
    const cases = some.map(({ keyHash, by }) => sql`when ${keyHash} then ${by}`)
    await tx
      .updateTable("api_key")
      .set({
        last_used_at: at,
        last_used_by: sql<string | null>`case key_hash ${sql.join(cases, sql` `)} else cast(null as text) end`,
      })
      .where(
        "key_hash",
        "in",
        some.map(({ keyHash }) => keyHash),
      )
      .execute()
  }
}
