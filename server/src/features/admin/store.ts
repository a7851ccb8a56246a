import type { Reader, Tx } from "../../db/schema.ts"

// Only counts, products and administrators: an administrator never sees a user's values or keys.

const countedTables = ["product", "user", "collection", "environment", "item", "subscription"] as const

export type Counts = Record<(typeof countedTables)[number], number>

export async function countAll(db: Reader): Promise<Counts> {
  const counts = await Promise.all(
    countedTables.map(async (table) => {
      const row = await db
        .selectFrom(table)
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow()
      return [table, row.count] as const
    }),
  )
  return Object.fromEntries(counts) as Counts
}

export interface ProductRow {
  id: number
  name: string
  description: string
  type: string
  category: string
}

const productColumns = ["id", "name", "description", "type", "category"] as const

export function productRows(db: Reader): Promise<ProductRow[]> {
  return db.selectFrom("product").select(productColumns).orderBy("id").execute()
}

export function insertProduct(tx: Tx, product: Omit<ProductRow, "id">): Promise<ProductRow> {
  return tx.insertInto("product").values(product).returning(productColumns).executeTakeFirstOrThrow()
}

export async function adminEmails(db: Reader): Promise<string[]> {
  const rows = await db.selectFrom("user").select("email").where("is_admin", "=", 1).orderBy("id").execute()
  return rows.map((row) => row.email)
}

export function setAdmin(
  tx: Tx,
  emailKey: string,
  isAdmin: boolean,
): Promise<{ id: number; email: string } | undefined> {
  return tx
    .updateTable("user")
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where("email_key", "=", emailKey)
    .returning(["id", "email"])
    .executeTakeFirst()
}
