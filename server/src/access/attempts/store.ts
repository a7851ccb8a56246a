import { sql } from "kysely"
import type { Reader, Tx } from "../../db/schema.ts"

interface Attempts {
  count: number
  resetsAt: number
}

/**
 * Adds one to a bucket, or restarts it when its time has passed. One statement, so that no two attempts count as one. A
 * bucket that resets later than `maxResetsAt` was started before the clock was set back. It restarts too, or its user
 * would be locked out until the clock has caught up.
 */
export function addOne(
  tx: Tx,
  { bucket, now, resetsAt, maxResetsAt }: { bucket: string; now: number; resetsAt: number; maxResetsAt: number },
): Promise<Attempts> {
  const isOver = sql<boolean>`(attempt.resets_at <= ${now} or attempt.resets_at > ${maxResetsAt})`
  return tx
    .insertInto("attempt")
    .values({ bucket, count: 1, resets_at: resetsAt })
    .onConflict((conflict) =>
      conflict.column("bucket").doUpdateSet({
        count: sql<number>`case when ${isOver} then 1 else attempt.count + 1 end`,
        resets_at: sql<number>`case when ${isOver} then excluded.resets_at else attempt.resets_at end`,
      }),
    )
    .returning(["count", "resets_at as resetsAt"])
    .executeTakeFirstOrThrow()
}

interface KnownDevice {
  bucket: string
  /** Whose it is. */
  account: string
  resetsAt: number
}

/** One that is known already is known for longer. */
export async function addDevice(tx: Tx, { bucket, account, resetsAt }: KnownDevice): Promise<void> {
  await tx
    .insertInto("attempt")
    .values({ bucket, account, count: 1, resets_at: resetsAt })
    .onConflict((conflict) => conflict.column("bucket").doUpdateSet({ account, resets_at: resetsAt }))
    .execute()
}

interface OldDevices {
  account: string
  /** So many of the newest stay. */
  kept: number
  /** The bucket of one that stays in any case. */
  except: string
}

/** More than an account has. */
const devicesPerDelete = 200

export async function deleteOldestDevices(tx: Tx, { account, kept, except }: OldDevices): Promise<void> {
  await tx
    .deleteFrom("attempt")
    .where("bucket", "in", (eb) =>
      eb
        .selectFrom("attempt")
        .select("bucket")
        .where("account", "=", account)
        .where("bucket", "<>", except)
        .orderBy("resets_at", "desc")
        .limit(devicesPerDelete)
        .offset(kept),
    )
    .execute()
}

export async function subtractOne(tx: Tx, bucket: string): Promise<void> {
  await tx
    .updateTable("attempt")
    .set((eb) => ({ count: eb("count", "-", 1) }))
    .where("bucket", "=", bucket)
    .where("count", ">", 0)
    .execute()
}

export async function deleteBucket(tx: Tx, bucket: string): Promise<void> {
  await tx.deleteFrom("attempt").where("bucket", "=", bucket).execute()
}

export async function isActive(db: Reader, bucket: string, now: number): Promise<boolean> {
  const active = await db
    .selectFrom("attempt")
    .select("bucket")
    .where("bucket", "=", bucket)
    .where("resets_at", ">", now)
    .executeTakeFirst()
  return active !== undefined
}

export async function countAll(db: Reader): Promise<number> {
  const { rows } = await db
    .selectFrom("attempt")
    .select((eb) => eb.fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow()
  return Number(rows)
}

/** By what a browser knows an account. */
export interface DeviceAccount {
  emailKey: string
  passwordHash: string
}

export function deviceAccountOf(db: Reader, userId: number): Promise<DeviceAccount | undefined> {
  return db
    .selectFrom("user")
    .select(["email_key as emailKey", "password_hash as passwordHash"])
    .where("id", "=", userId)
    .executeTakeFirst()
}
