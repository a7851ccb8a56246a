import type { Reader, Tx } from "../../db/schema.ts"

// Only counts, products and administrators: an administrator never sees a user's values or keys.

const countedTables = ["product", "user", "subscription"] as const

export type Counts = Record<(typeof countedTables)[number] | "collection" | "environment" | "item", number>

/** One after the other: a single call must not take a connection for each table. */
export async function countAll(db: Reader): Promise<Counts> {
  const counts: Partial<Counts> = { collection: await countCollections(db), ...(await countEnvironments(db)) }
  for (const table of countedTables) {
    const row = await db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow()
    counts[table] = row.count
  }
  return counts as Counts
}

/** Without what is in the trash. */
async function countCollections(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("collection")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("trashed_at", "is", null)
    .executeTakeFirstOrThrow()
  return row.count
}

/** Items from the environments' own counts: counting millions of rows would take too long. */
async function countEnvironments(db: Reader): Promise<Pick<Counts, "environment" | "item">> {
  const row = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      eb.fn.countAll<number>().as("environments"),
      eb.fn.coalesce(eb.fn.sum<number>("environment.item_count"), eb.lit(0)).as("items"),
    ])
    .where("environment.trashed_at", "is", null)
    .where("collection.trashed_at", "is", null)
    .executeTakeFirstOrThrow()
  return { environment: row.environments, item: Number(row.items) }
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
