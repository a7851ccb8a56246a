import type { Tx } from "../db/schema.ts"
import { deleteInBatches } from "./batches.ts"

/** Tables of what waits for some minutes. Each has an index on `expires_at`. */
type ExpiringTable = "cli_login" | "passkey_challenge" | "pending_sign_in" | "provider_visit"

const rowsPerDelete = 1_000

export async function deleteExpired(tx: Tx, table: ExpiringTable, now: number): Promise<void> {
  await deleteInBatches(rowsPerDelete, async () => {
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where("id", "in", (eb) =>
        eb.selectFrom(table).select("id").where("expires_at", "<=", now).orderBy("expires_at").limit(rowsPerDelete),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
