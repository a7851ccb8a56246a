import type { AccountGroup } from "@envkeep/contract"
import { type SqlBool, sql } from "kysely"
import type { Reader } from "../../db/schema.ts"

// All accounts, for administrators, which the contract says. How much each owns, but none of the names.

export interface AccountRow {
  id: number
  username: string
  email: string
  emailKey: string
  isAdmin: number
  disabledAt: number | null
  createdAt: number
  lastSignInAt: number | null
  storedBytes: number
}

const columns = [
  "id",
  "username",
  "email",
  "email_key as emailKey",
  "is_admin as isAdmin",
  "disabled_at as disabledAt",
  "created_at as createdAt",
  "last_sign_in_at as lastSignInAt",
  "stored_bytes as storedBytes",
] as const

export interface Stretch {
  order: "asc" | "desc"
  offset: number
  maxRows: number
}

/** What an index is sorted by. */
const sortedBy = {
  username: [sql`lower(username)`, sql.ref("id")],
  email: [sql.ref("email_key")],
  lastSignIn: [sql`coalesce(last_sign_in_at, 0)`, sql.ref("id")],
} as const
export type IndexedSort = keyof typeof sortedBy

export function accountsInOrder(
  db: Reader,
  sort: IndexedSort,
  { order, offset, maxRows }: Stretch,
): Promise<AccountRow[]> {
  return sortedBy[sort]
    .reduce((query, key) => query.orderBy(key, order), db.selectFrom("user").select(columns))
    .limit(maxRows)
    .offset(offset)
    .execute()
}

export async function countAccounts(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("user")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  return row.count
}

export interface Filter {
  show: AccountGroup
  /** In the form of `foldCase`. */
  search: string
}

export async function lastAccountId(db: Reader): Promise<number> {
  const row = await db
    .selectFrom("user")
    .select((eb) => eb.fn.max<number | null>("id").as("id"))
    .executeTakeFirst()
  return row?.id ?? 0
}

/**
 * The accounts with an id in this range, by id, that may match. The engines fold the case of ASCII letters alike, so a
 * username or an e-mail with others is always among them.
 */
export function accountsBetween(
  db: Reader,
  { after, last, maxRows }: { after: number; last: number; maxRows: number },
  { show, search }: Filter,
): Promise<AccountRow[]> {
  const pattern = `%${search.replaceAll(/[\\%_]/g, "\\$&")}%`
  return db
    .selectFrom("user")
    .select(columns)
    .where("id", ">", after)
    .where("id", "<=", last)
    .$if(show === "admins", (query) => query.where("is_admin", "=", 1))
    .$if(show === "disabled", (query) => query.where("disabled_at", "is not", null))
    .$if(search !== "", (query) =>
      query.where(
        sql<SqlBool>`(email_key like ${pattern} escape '\\' or lower(username) like ${pattern} escape '\\'
          or octet_length(username) > length(username) or octet_length(email) > length(email))`,
      ),
    )
    .orderBy("id")
    .limit(maxRows)
    .execute()
}

export interface OwnedRow {
  ownerId: number
  collections: number
  items: number
}

/** How much each of these accounts owns, without what is in the trash. Those that own nothing are left out. */
export async function ownedBy(db: Reader, ids: readonly number[]): Promise<OwnedRow[]> {
  const rows = await db
    .selectFrom("collection")
    .leftJoin("environment", (join) =>
      join.onRef("environment.collection_id", "=", "collection.id").on("environment.trashed_at", "is", null),
    )
    .select((eb) => [
      "collection.owner_id as ownerId",
      eb.fn.count<number>("collection.id").distinct().as("collections"),
      eb.fn.coalesce(eb.fn.sum<number>("environment.item_count"), eb.lit(0)).as("items"),
    ])
    .where("collection.owner_id", "in", ids)
    .where("collection.trashed_at", "is", null)
    .groupBy("collection.owner_id")
    .execute()
  return rows.map((row) => ({ ...row, items: Number(row.items) }))
}
