import { chmod } from "node:fs/promises"
import { join } from "node:path"
import { ensureChain } from "@envkeep/server/audit/begin.ts"
import { readChain } from "@envkeep/server/audit/chain.ts"
import { type ChainedContent, macOf, signatureOf } from "@envkeep/server/audit/encode.ts"
import { recountStoredBytes } from "@envkeep/server/core/stored-bytes.ts"
import { migrations } from "@envkeep/server/db/migrations/list.ts"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase, sqliteFile } from "@envkeep/server/db/open.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import { tableNames } from "@envkeep/server/db/stored-tables.ts"
import { numberedTables } from "@envkeep/server/db/table-lists.ts"
import { hashPassword } from "@envkeep/server/keys/password.ts"
import { findRootKey, openVault } from "@envkeep/server/keys/root-key.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { sql } from "kysely"
import { password } from "../client.ts"
import { inStore } from "../store.ts"
import { addContents } from "./contents.ts"
import { Filling } from "./filling.ts"
import type { Size } from "./size.ts"

/** The last migration of the tables that are filled. What came later is what a company's upgrade has to do. */
const filledAt = "016-key-life"

/**
 * Fills an empty store with these parts, one after the other, as if each had used it for some weeks. Values are sealed, and
 * events chained, so it is a healthy store. Its tables are those of an earlier version.
 */
export async function fillStore(
  location: StoreLocation,
  parts: readonly Size[],
  say: (line: string) => void,
): Promise<void> {
  const { dataDir, databaseUrl } = location
  const { db } = await openDatabase({ url: databaseUrl, dataDir })
  const applied = await migrate(db, { all: migrations.filter(({ name }) => name <= filledAt) })
  const vault = await openVault(db, { rootKey: undefined, dataDir }, () => undefined)
  await ensureChain(db, applied, () => vault)
  const rootKey = await findRootKey({ rootKey: undefined, dataDir })
  const chain = await readChain(db)
  const chainKey = chain && (await vault.chainKey(db, chain.sealed_key))
  await db.destroy()
  if (rootKey === undefined || chainKey === undefined) throw new Error("the empty store has no keys")

  const filling = await Filling.begin(location)
  const passwordHash = await hashPassword(password, "bench")
  let ends = { position: 0, mac: "", start_position: 0, start_mac: "" }
  for (const size of parts) {
    for (const event of await addContents(filling, { size, rootKey, passwordHash, say })) {
      const position = ends.position + 1
      const content: ChainedContent = { id: filling.nextId("audit_event"), ...event }
      ends = { ...ends, position, mac: macOf(chainKey, content, position, ends.mac) }
      filling.put("audit_event", { ...content, position, mac: ends.mac })
      if (position % 1_000 === 0) await filling.settle()
    }
  }
  await filling.end()
  say("    counting")
  await inStore(location, async (db) => {
    await db
      .updateTable("audit_chain")
      .set({ ...ends, signature: signatureOf(chainKey, ends) })
      .execute()
    await recountStoredBytes(db)
    if (databaseUrl !== undefined) await restartNumbers(db)
  })
  if (databaseUrl === undefined) await chmod(join(dataDir, sqliteFile), 0o600)
}

/** New rows are numbered from where the filled ones end. */
async function restartNumbers(db: Db): Promise<void> {
  const stored = await tableNames(db)
  for (const table of numberedTables.filter((name) => stored.has(name))) {
    const last = sql`(select coalesce(max(id), 0) + 1 from ${sql.table(table)})`
    await sql`select setval(pg_get_serial_sequence(${`"${table}"`}, 'id'), ${last})`.execute(db)
  }
}
