import { sql } from "kysely"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Tx } from "../../db/schema.ts"

interface Attempts {
  count: number
  resetsAt: number
}

// Each login runs most of these, some of them three times.

interface Added {
  bucket: string
  now: number
  resetsAt: number
  maxResetsAt: number
}

/**
 * Adds one to a bucket, or restarts it when its time has passed. One statement, so that no two attempts count as one. A
 * bucket that resets later than `maxResetsAt` was started before the clock was set back. It restarts too, or its user
 * would be locked out until the clock has caught up.
 */
export async function addOne(tx: Tx, added: Added): Promise<Attempts> {
  const [attempts] = await addition(tx, added, "")
  if (attempts === undefined) throw new Error("a statement that inserts or updates a row has returned none")
  return attempts
}

const addition = prepared((tx: Tx, { bucket, now, resetsAt, maxResetsAt }: Added) => {
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
})

interface KnownDevice {
  bucket: string
  /** Whose it is. */
  account: string
  resetsAt: number
}

/** One that is known already is known for longer. */
export async function addDevice(tx: Tx, device: KnownDevice): Promise<void> {
  await deviceAddition(tx, device, "")
}

const deviceAddition = prepared((tx: Tx, { bucket, account, resetsAt }: KnownDevice) =>
  tx
    .insertInto("attempt")
    .values({ bucket, account, count: 1, resets_at: resetsAt })
    .onConflict((conflict) => conflict.column("bucket").doUpdateSet({ account, resets_at: resetsAt })),
)

interface OldDevices {
  account: string
  /** So many of the newest stay. */
  kept: number
  /** The bucket of one that stays in any case. */
  except: string
}

export async function deleteOldestDevices(tx: Tx, devices: OldDevices): Promise<void> {
  await oldestDevicesDeletion(tx, devices, "")
}

/** More than an account has. */
const devicesPerDelete = 200

const oldestDevicesDeletion = prepared((tx: Tx, { account, kept, except }: OldDevices) =>
  tx
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
    ),
)

export async function subtractOne(tx: Tx, bucket: string): Promise<void> {
  await subtraction(tx, { bucket }, "")
}

const subtraction = prepared((tx: Tx, { bucket }: { bucket: string }) =>
  tx
    .updateTable("attempt")
    .set((eb) => ({ count: eb("count", "-", 1) }))
    .where("bucket", "=", bucket)
    .where("count", ">", 0),
)

export async function deleteBucket(tx: Tx, bucket: string): Promise<void> {
  await deletion(tx, { bucket }, "")
}

const deletion = prepared((tx: Tx, { bucket }: { bucket: string }) =>
  tx.deleteFrom("attempt").where("bucket", "=", bucket),
)

export async function isActive(db: Reader, bucket: string, now: number): Promise<boolean> {
  return (await activeBuckets(db, { bucket, now }, "")).length > 0
}

const activeBuckets = prepared((db: Reader, { bucket, now }: { bucket: string; now: number }) =>
  db.selectFrom("attempt").select("bucket").where("bucket", "=", bucket).where("resets_at", ">", now),
)

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
