import { sql } from "kysely"
import { newestGivenId } from "../db/given-ids.ts"
import type { Db } from "../db/schema.ts"
import { hasTable } from "../db/stored-tables.ts"
import { inTransaction } from "../db/transaction.ts"
import { minuteMs } from "../durations.ts"
import type { Vault } from "../keys/secrets.ts"
import { readChain } from "./chain.ts"
import { signatureOf } from "./encode.ts"

// A chain begins before the first event is written, and never again: if a missing row began a new chain, it would be enough
// to delete that row to have forged events signed.

/**
 * Begins the chain of a store that never had an event. For the start of a server, and for commands that write events.
 * `applied` are the migrations that this start has run.
 */
export async function ensureChain(
  db: Db,
  applied: readonly string[],
  openVault: () => Promise<Vault> | Vault,
): Promise<void> {
  // Without the table the trail is broken, which is no reason not to serve.
  if (!(await hasTable(db, "audit_chain")) || !(await mayBegin(db, applied))) return
  const vault = await openVault()
  await inTransaction(db, async (tx) => {
    if (await mayBegin(tx, applied)) await beginChain(tx, vault)
  })
}

/** False if there is a chain, and if there must have been one. */
export async function mayBegin(db: Db, applied: readonly string[]): Promise<boolean> {
  if ((await readChain(db)) !== undefined) return false
  return !(await hadEvents(db)) || (chainCameLater(applied) && (await neverChained(db)))
}

/** Whether an event was ever written, also if all of them were deleted. */
export async function hadEvents(db: Db): Promise<boolean> {
  // A restore writes rows with their ids, which PostgreSQL does not count.
  return (await hasEvents(db)) || (await newestGivenId(db, "audit_event")) > 0
}

export async function hasEvents(db: Db): Promise<boolean> {
  return (await db.selectFrom("audit_event").select("action").limit(1).execute()).length > 0
}

/** Whether the store is of a version that began the chain only after the first event. */
export function chainCameLater([first]: readonly string[]): boolean {
  return first !== undefined && first < "011"
}

/**
 * Such a version chained the first event within a second. If it was stopped before that, there are events of its first
 * moments and no chain. This is looked at once, when that store is upgraded: at any other time it would be the way to forge.
 */
async function neverChained(db: Db): Promise<boolean> {
  const { rows } = await sql`
    select 1 from audit_event
    where position is not null
    or created_at > (select applied_at from migration where name = '009-audit') + ${minuteMs}
    limit 1`.execute(db)
  return rows.length === 0
}

/** If several nodes begin it at once, the first one does. */
export async function beginChain(tx: Db, vault: Vault): Promise<void> {
  const sealedKey = await vault.newChainKey(tx)
  const key = await vault.chainKey(tx, sealedKey)
  if (key === undefined) throw new Error("a new key of the audit chain does not open")
  const begun = { position: 0, mac: "", start_position: 0, start_mac: "" }
  await tx
    .insertInto("audit_chain")
    .values({ id: 1, sealed_key: sealedKey, ...begun, signature: signatureOf(key, begun) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
