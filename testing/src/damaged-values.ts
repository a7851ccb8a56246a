import type { Db } from "@envkeep/server/db/schema.ts"

/** Makes what is stored for an item unreadable, as a broken disk might. An item is given by its id, or by a name in a new store. */
export async function damageValue(db: Db, item: number | string): Promise<void> {
  await db
    .updateTable("item")
    .set({ sealed_value: new Uint8Array(40) })
    .where(typeof item === "number" ? "id" : "name", "=", item)
    .execute()
}
