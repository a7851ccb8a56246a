import type { Reader, Tx } from "../../db/schema.ts"

// Only counts, products and administrators: an administrator never sees a user's values or keys.

export interface Counts {
  products: number
  users: number
  collections: number
  environments: number
  items: number
  subscriptions: number
}

/** One after the other: a single call must not take a connection for each table. */
export async function countAll(db: Reader): Promise<Counts> {
  return {
    collections: await countCollections(db),
    ...(await countEnvironments(db)),
    products: await countRows(db, "product"),
    users: await countRows(db, "user"),
    subscriptions: await countRows(db, "subscription"),
  }
}

async function countRows(db: Reader, table: "product" | "user" | "subscription"): Promise<number> {
  const row = await db
    .selectFrom(table)
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  return row.count
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
async function countEnvironments(db: Reader): Promise<Pick<Counts, "environments" | "items">> {
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
  return { environments: row.environments, items: Number(row.items) }
}

export async function isCounted(db: Reader, day: string): Promise<boolean> {
  const row = await db.selectFrom("daily_count").select("id").where("day", "=", day).executeTakeFirst()
  return row !== undefined
}

/** Of two processes that count at the same time, the first is right. */
export async function insertDailyCount(tx: Tx, day: string, counts: Counts): Promise<void> {
  await tx
    .insertInto("daily_count")
    .values({ day, ...counts })
    .onConflict((conflict) => conflict.column("day").doNothing())
    .execute()
}

const countColumns = ["products", "users", "collections", "environments", "items", "subscriptions"] as const

/** Since this day, oldest first. */
export function dailyCounts(db: Reader, since: string): Promise<(Counts & { day: string })[]> {
  return db
    .selectFrom("daily_count")
    .select(["day", ...countColumns])
    .where("day", ">=", since)
    .orderBy("day")
    .execute()
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
