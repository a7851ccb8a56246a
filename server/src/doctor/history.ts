import type { KeyObject } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import { type RawBuilder, sql } from "kysely"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { openSecret, unwrapDataKey } from "../keys/secrets.ts"
import { type Finding, firstOf, maxNamed, ok, printable } from "./finding.ts"

// Whether the history knows all that has changed. Each statement compares what belongs together as of one moment, for a
// few rows only. So writers go on in between, and no snapshot is held.

/** Rows of a revision and of its versions are read together, so these batches are the smallest. */
const batchSizes = { environment: 200, revision: 100, item: 500, item_version: 500 }

export async function checkHistory(db: Db, rootKeys: readonly KeyObject[]): Promise<Finding[]> {
  // Older versions had no history.
  if (!(await tableNames(db)).has("item_version")) return []
  const findings = [
    ...(await named(environmentFaults(db), "more histories lack their beginning or their end")),
    ...(await named(gaps(db), "more histories lack revisions in between")),
    ...(await named(revisionFaults(db), "more revisions lack versions")),
    ...(await named(itemFaults(db, rootKeys), "more items are not what their newest versions say")),
    ...(await named(versionFaults(db), "more versions lack their item or their revision")),
  ]
  return findings.length > 0 ? findings : [ok("The history of every environment is complete")]
}

async function named(faults: AsyncIterable<string>, more: string): Promise<Finding[]> {
  const sentences: string[] = []
  let count = 0
  for await (const sentence of faults) {
    count += 1
    if (sentences.length < maxNamed) sentences.push(sentence)
  }
  return firstOf(sentences, count, (left) => `${left} ${more}`)
}

interface Place {
  environment_id: number
  environment: string
  collection: string
}

const place = sql`environment.id as environment_id, environment.name as environment, collection.name as collection`
const withCollection = sql`join collection on collection.id = environment.collection_id`
/** Of what is being deleted forever, some rows are gone already. */
const isKept = sql`coalesce(environment.trashed_at, 1) <> 0 and coalesce(collection.trashed_at, 1) <> 0`

const environmentOf = ({ environment, collection, environment_id: id }: Place) =>
  `${printable(environment)} of ${printable(collection)} (id ${id})`

const rowOf = ({ name, environment, collection, id }: Place & { name: string; id: number }) =>
  `${printable(name)} in ${printable(environment)} of ${printable(collection)} (id ${id})`

/** What a statement finds in all rows of a table, a few of them at a time. */
async function* find<Row>(
  db: Db,
  table: keyof typeof batchSizes,
  statement: (isInBatch: RawBuilder<unknown>) => RawBuilder<Row>,
): AsyncGenerator<Row> {
  const id = sql.ref(`${table}.id`)
  for (let after = 0; ; ) {
    const { rows } = await sql<{ last: number | null }>`
      select max(id) as last from (
        select id from ${sql.table(table)} where id > ${after} order by id limit ${batchSizes[table]}) as batch`.execute(
      db,
    )
    const last = rows[0]?.last ?? undefined
    if (last === undefined) return
    yield* (await statement(sql`${id} > ${after} and ${id} <= ${last}`).execute(db)).rows
    after = last
    await nextTurn()
  }
}

/** The first kept revision of an environment, and the one that it is at. */
async function* environmentFaults(db: Db): AsyncGenerator<string> {
  type Row = Place & { revision: number; kept_from: number; first: number | null; newest: number | null }
  const rows = find<Row>(
    db,
    "environment",
    (isInBatch) => sql`
      select ${place}, environment.revision, environment.history_from as kept_from,
        (select min(number) from revision
          where environment_id = environment.id and number >= environment.history_from) as first,
        (select max(number) from revision where environment_id = environment.id) as newest
      from environment ${withCollection}
      where ${isInBatch} and ${isKept}
      order by environment.id`,
  )
  for await (const row of rows) {
    const { revision, kept_from: keptFrom } = row
    const newest = row.newest ?? 0
    if (newest > revision) {
      yield `The environment ${environmentOf(row)} is at revision ${revision}, but its history goes on to ${newest}: it cannot be changed; restore a backup`
    }
    if (row.first !== null && row.first > keptFrom) yield missingRevisions(row, keptFrom, row.first - 1)
    if (newest < revision) yield missingRevisions(row, Math.max(newest + 1, keptFrom), revision)
  }
}

function missingRevisions(row: Place, from: number, to: number): string {
  const which = from === to ? `revision ${from}` : `the revisions ${from} to ${to}`
  return `The history of the environment ${environmentOf(row)} lacks ${which}: restore a backup if you need what is missing`
}

/** Revisions that are missing between others. A restored backup leaves a gap on purpose, before the revision that it adds. */
async function* gaps(db: Db): AsyncGenerator<string> {
  const rows = find<Place & { number: number; next: number }>(
    db,
    "revision",
    (isInBatch) => sql`
      select ${place}, revision.number, next.number as next
      from revision
      join environment on environment.id = revision.environment_id ${withCollection}
      join revision as next on next.environment_id = revision.environment_id and next.number = (
        select min(later.number) from revision as later
        where later.environment_id = revision.environment_id and later.number > revision.number)
      where ${isInBatch} and ${isKept} and revision.number >= environment.history_from
        and next.number > revision.number + 1 and next.action <> 'backup.restore'
      order by revision.id`,
  )
  for await (const row of rows) yield missingRevisions(row, row.number + 1, row.next - 1)
}

/**
 * Whether the versions that a revision says it has written are there. Not of the revisions before those that are kept, of
 * which only what later ones need is left, nor of the first one of an older store, which has counted nothing itself.
 * A renamed item leaves a removal of its old name that is not counted, so there may be more of these.
 */
async function* revisionFaults(db: Db): AsyncGenerator<string> {
  const versions = (condition: RawBuilder<unknown>) => sql`(
    select count(*) from item_version
    where item_version.environment_id = revision.environment_id and item_version.revision = revision.number
      and ${condition})`
  const isRemoval = sql`(sealed_value is null and erased_at is null)`
  const rows = find<Place & { number: number }>(
    db,
    "revision",
    (isInBatch) => sql`
      select ${place}, revision.number
      from revision
      join environment on environment.id = revision.environment_id ${withCollection}
      where ${isInBatch} and ${isKept} and revision.number >= environment.history_from
        and revision.action <> 'history.begin'
        and (${versions(sql`not ${isRemoval}`)} <> revision.added + revision.changed
          or ${versions(isRemoval)} < revision.removed)
      order by revision.id`,
  )
  for await (const row of rows) {
    yield `Revision ${row.number} of the environment ${environmentOf(row)} lacks versions of what it has written: do not restore it, nor those after it; restore a backup if you need what is missing`
  }
}

/** Whether the newest version of each item's name holds what the item holds. */
async function* itemFaults(db: Db, rootKeys: readonly KeyObject[]): AsyncGenerator<string> {
  type Row = Place & {
    id: number
    name: string
    collection_id: number
    data_key: Uint8Array
    item_value: Uint8Array
    version_value: Uint8Array | null
  }
  const rows = find<Row>(
    db,
    "item",
    (isInBatch) => sql`
      select ${place}, item.id, item.name, collection.id as collection_id, collection.data_key,
        item.sealed_value as item_value, newest.sealed_value as version_value
      from item
      join environment on environment.id = item.environment_id ${withCollection}
      left join item_version as newest on newest.environment_id = item.environment_id and newest.name = item.name
        and newest.revision = (
          select max(version.revision) from item_version as version
          where version.environment_id = item.environment_id and version.name = item.name)
      where ${isInBatch} and ${isKept}
        and (newest.sealed_value is null or newest.sealed_value <> item.sealed_value)
      order by item.id`,
  )
  for await (const row of rows) {
    if (row.version_value === null) {
      yield `The newest version of the item ${rowOf(row)} is missing: change its value once, so that the history has it again`
    } else if (holdsOther(row, row.version_value)) {
      yield `The item ${rowOf(row)} is not what its newest version says: find out which value is right, and set it again`
    }
  }

  /** What does not open has a sentence of its own. */
  function holdsOther(row: Row, version: Uint8Array): boolean {
    const key = unwrapDataKey(rootKeys, row.collection_id, row.data_key)
    const context = { kind: "item", environmentId: row.environment_id, name: row.name } as const
    const [inItem, inVersion] = [row.item_value, version].map((sealed) => openSecret(key, sealed, context))
    return inItem !== null && inVersion !== null && inItem !== inVersion
  }
}

/** Whether what a name has last is no value that no item holds, and whether each version has the revision that wrote it. */
async function* versionFaults(db: Db): AsyncGenerator<string> {
  type Row = Place & { id: number; name: string; revision: number; is_item_missing: number }
  const rows = find<Row>(
    db,
    "item_version",
    (isInBatch) => sql`
      select * from (
        select ${place}, item_version.id, item_version.name, item_version.revision,
          case when (item_version.sealed_value is not null or item_version.erased_at is not null)
            and not exists (
              select 1 from item
              where item.environment_id = item_version.environment_id and item.name = item_version.name)
            and not exists (
              select 1 from item_version as later
              where later.environment_id = item_version.environment_id and later.name = item_version.name
                and later.revision > item_version.revision)
            then 1 else 0 end as is_item_missing,
          case when (item_version.revision < environment.history_from or item_version.revision > environment.revision)
            and not exists (
              select 1 from revision
              where revision.environment_id = item_version.environment_id
                and revision.number = item_version.revision)
            then 1 else 0 end as is_revision_missing
        from item_version
        join environment on environment.id = item_version.environment_id ${withCollection}
        where ${isInBatch} and ${isKept}) as looked_at
      where is_item_missing = 1 or is_revision_missing = 1
      order by id`,
  )
  for await (const row of rows) {
    yield row.is_item_missing === 1
      ? `The version ${rowOf(row)} is the newest of its name and no removal, but there is no such item: add it again, or restore a backup`
      : `The version ${rowOf(row)} is of revision ${row.revision}, which is missing, so no history shows it: restore a backup if you need it`
  }
}
