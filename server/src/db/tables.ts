import type { Db, Schema } from "./schema.ts"

/** What a backup keeps, in the order in which it can be put back: what is referred to comes first. */
export const keptTables = [
  "canary",
  "root_key_bridge",
  "user",
  "product",
  "subscription",
  "collection",
  "environment",
  "item",
  "api_key",
] as const satisfies (keyof Schema)[]

export type KeptTable = (typeof keptTables)[number]

/** What a row belongs to, by its column. */
export const parentsOf: Partial<Record<KeptTable, Record<string, KeptTable>>> = {
  subscription: { user_id: "user", product_id: "product" },
  collection: { owner_id: "user" },
  environment: { collection_id: "collection" },
  item: { environment_id: "environment" },
  api_key: { environment_id: "environment" },
}

/**
 * What a backup leaves out. A session that was ended since must not come alive again, and guesses are counted for minutes.
 * Which migrations have run stands in the backup's first line.
 */
export const leftOutTables = ["session", "attempt", "migration"] as const

/** The names of all tables there are. */
export async function tableNames(db: Db): Promise<Set<string>> {
  const tables = await db.introspection.getTables()
  return new Set(tables.map((table) => table.name))
}

export async function hasTable(db: Db, name: keyof Schema | "migration"): Promise<boolean> {
  return (await tableNames(db)).has(name)
}
