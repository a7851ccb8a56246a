import { type About, limits } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { reach, reachEnvironment } from "../../access/reach.ts"
import { byParents, inBatches } from "../../bounds/batches.ts"
import { mapWithPauses } from "../../bounds/turns.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query here has the caller's reach in its WHERE, or takes a locked collection, which was found with it.

/** How much is described in a collection. */
export interface Described {
  id: number
  count: number
  bytes: number
}

export function describedIn(db: Reader, caller: Member, id: number): Promise<Described | undefined> {
  return collection(db, caller, id).executeTakeFirst()
}

/** Locked until the transaction ends: of two changes of descriptions, the second sees the first. */
export function lockDescribed(tx: Tx, caller: Member, id: number): Promise<Described | undefined> {
  return collection(tx, caller, id)
    .$if(locksRows(tx), (query) => query.forNoKeyUpdate())
    .executeTakeFirst()
}

function collection(db: Reader, caller: Member, id: number) {
  return db
    .selectFrom("collection")
    .select(["collection.id", "described_count as count", "described_bytes as bytes"])
    .where("collection.id", "=", id)
    .where(reach(caller))
}

const columns = ["name", "description", "is_required", "is_secret", "kind", "choices", "example"] as const

const rowsPerBatch = 2_000

/** In no particular order. */
export async function describedNames(db: Reader, caller: Member, collectionId: number): Promise<About[]> {
  const inOrder = db
    .selectFrom("described_name")
    .innerJoin("collection", "collection.id", "described_name.collection_id")
    .select(columns.map((column) => `described_name.${column}` as const))
    .where("described_name.collection_id", "=", collectionId)
    .where(reach(caller))
    .orderBy("described_name.name")
    .limit(rowsPerBatch)
  return inBatches(rowsPerBatch, async (last: About | undefined) => {
    return toAbouts(await inOrder.where("described_name.name", ">", last?.name ?? "").execute())
  })
}

/**
 * A description can have 28 KB of text, and what is not ASCII takes long to decode. With so many of them, a statement is
 * still a short piece of work on the thread.
 */
const namesPerStatement = 25

/** Of these names, those that are described. */
export async function findDescribed(tx: Tx, { id }: Described, names: readonly string[]): Promise<Map<string, About>> {
  const rows = await byParents(names, namesPerStatement, (some) =>
    tx.selectFrom("described_name").select(columns).where("collection_id", "=", id).where("name", "in", some).execute(),
  )
  return new Map((await toAbouts(rows)).map((about) => [about.name, about]))
}

interface NameRow {
  name: string
  description: string
  is_required: number
  is_secret: number
  kind: About["kind"]
  choices: string
  example: string
}

/** In pieces: a collection may have hundreds of thousands of choices. */
function toAbouts(rows: readonly NameRow[]): Promise<About[]> {
  return mapWithPauses(rows, toAbout)
}

function toAbout({ is_required, is_secret, choices, ...row }: NameRow): About {
  return { ...row, isRequired: Boolean(is_required), isSecret: Boolean(is_secret), choices: JSON.parse(choices) }
}

export async function saveDescribed(tx: Tx, { id }: Described, abouts: readonly About[]): Promise<void> {
  await byParents(abouts, namesPerStatement, (some) =>
    tx
      .insertInto("described_name")
      .values(
        some.map(({ isRequired, isSecret, choices, ...about }) => ({
          ...about,
          collection_id: id,
          is_required: isRequired ? 1 : 0,
          is_secret: isSecret ? 1 : 0,
          choices: JSON.stringify(choices),
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(["collection_id", "name"]).doUpdateSet((eb) => ({
          description: eb.ref("excluded.description"),
          is_required: eb.ref("excluded.is_required"),
          is_secret: eb.ref("excluded.is_secret"),
          kind: eb.ref("excluded.kind"),
          choices: eb.ref("excluded.choices"),
          example: eb.ref("excluded.example"),
        })),
      )
      .returning("id")
      .execute(),
  )
}

export async function deleteDescribed(tx: Tx, { id }: Described, name: string): Promise<void> {
  await tx.deleteFrom("described_name").where("collection_id", "=", id).where("name", "=", name).execute()
}

/** Every change of descriptions ends with this, so that open screens notice it. */
export async function countDescribed(tx: Tx, { id, count, bytes }: Described): Promise<void> {
  await tx
    .updateTable("collection")
    .set((eb) => ({
      described_count: count,
      described_bytes: bytes,
      described_revision: eb("described_revision", "+", 1),
      changed_at: Date.now(),
    }))
    .where("id", "=", id)
    .execute()
}

export interface NamedEnvironment {
  id: number
  name: string
  revision: number
  isProtected: boolean
  itemCount: number
  /** What it inherits from. */
  baseId: number | null
}

/** What a name takes in memory, with what goes with it. What is too long for this is rare. */
const nameBytes = limits.rowNameBytes

export function loadedBytesOf(environments: readonly NamedEnvironment[]): number {
  return environments.reduce((sum, { itemCount }) => sum + itemCount * nameBytes, 0)
}

export async function environmentsOf(db: Reader, caller: Member, collectionId: number): Promise<NamedEnvironment[]> {
  const rows = await namedEnvironments(db, caller).where("environment.collection_id", "=", collectionId).execute()
  return rows.map(toNamed)
}

export async function environmentOf(db: Reader, caller: Member, id: number): Promise<NamedEnvironment | undefined> {
  const row = await namedEnvironments(db, caller).where("environment.id", "=", id).executeTakeFirst()
  return row && toNamed(row)
}

function namedEnvironments(db: Reader, caller: Member) {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(["environment.id", "environment.name", "environment.revision"])
    .select(["item_count as itemCount", "base_id as baseId", "is_protected as protection"])
    .where(reachEnvironment(caller))
    .orderBy("environment.id")
}

function toNamed({ protection, ...row }: Omit<NamedEnvironment, "isProtected"> & { protection: number }) {
  return { ...row, isProtected: protection === 1 }
}

/** In the engine's order, which for most names is that of code units too, so that they are quickly sorted. */
export async function itemNames(db: Reader, caller: Member, environmentId: number): Promise<string[]> {
  const inOrder = db
    .selectFrom("item")
    .innerJoin("environment", "environment.id", "item.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("item.name")
    .where("item.environment_id", "=", environmentId)
    .where(reachEnvironment(caller))
    .orderBy("item.name")
    .limit(rowsPerBatch)
  return inBatches(rowsPerBatch, async (last: string | undefined) => {
    const rows = await inOrder.where("item.name", ">", last ?? "").execute()
    return rows.map((row) => row.name)
  })
}
