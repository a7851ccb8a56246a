import type { Db } from "../../db/schema.ts"

// Counts of everybody's things, products, and who is an administrator: never a user's values or keys.

const counted = ["product", "user", "collection", "environment", "item", "subscription"] as const

export type Counts = Record<(typeof counted)[number], number>

export async function countAll(db: Db): Promise<Counts> {
  const counts = await Promise.all(
    counted.map(async (table) => {
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

export function productRows(db: Db): Promise<ProductRow[]> {
  return db.selectFrom("product").select(productColumns).orderBy("id").execute()
}

export function insertProduct(db: Db, product: Omit<ProductRow, "id">): Promise<ProductRow> {
  return db.insertInto("product").values(product).returning(productColumns).executeTakeFirstOrThrow()
}

export async function adminEmails(db: Db): Promise<string[]> {
  const rows = await db.selectFrom("user").select("email").where("is_admin", "=", 1).orderBy("id").execute()
  return rows.map((row) => row.email)
}

export function setAdmin(db: Db, emailKey: string, isAdmin: boolean): Promise<{ email: string } | undefined> {
  return db
    .updateTable("user")
    .set({ is_admin: isAdmin ? 1 : 0 })
    .where("email_key", "=", emailKey)
    .returning("email")
    .executeTakeFirst()
}
