import { type CreateTableBuilder, type Kysely, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/**
 * Every change of an environment is a revision, and each value that it writes a version. What existing environments hold
 * becomes their first known revision.
 */
export const history: Migration = {
  name: "007-history",
  async up(db, engine, say) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`
    const table = (name: string) =>
      withId(db.schema.createTable(name), engine).addColumn("environment_id", "bigint", (column) =>
        column.notNull().references("environment.id").onDelete("cascade"),
      )

    await table("revision")
      .addColumn("number", "bigint", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("action", "text", (column) => column.notNull())
      .addColumn("actor", "text", (column) => column.notNull())
      .addColumn("actor_id", "bigint")
      .addColumn("actor_name", "text", (column) => column.notNull())
      .addColumn("note", "text", (column) => column.notNull())
      .addColumn("added", "integer", (column) => column.notNull())
      .addColumn("changed", "integer", (column) => column.notNull())
      .addColumn("removed", "integer", (column) => column.notNull())
      .addColumn("source", "bigint")
      .execute()
    await table("item_version")
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("sealed_value", bytes)
      .addColumn("item_id", "bigint", (column) => column.notNull())
      .addColumn("previous_name", "text")
      .addColumn("erased_at", "bigint")
      .addColumn("erased_by", "text")
      .execute()
    await db.schema
      .alterTable("item")
      .addColumn("revision", "bigint", (column) => column.notNull().defaultTo(1))
      .execute()
    await db.schema
      .alterTable("environment")
      .addColumn("history_bytes", "bigint", (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .alterTable("environment")
      .addColumn("history_from", "bigint", (column) => column.notNull().defaultTo(1))
      .execute()
    await sql`update environment set history_from = revision`.execute(db)
    await fill(db, say)
    // After the rows, which is faster than with each of them.
    const index = (name: string) => db.schema.createIndex(name).unique()
    await index("revision_number").on("revision").columns(["environment_id", "number"]).execute()
    await index("item_version_revision").on("item_version").columns(["environment_id", "revision", "name"]).execute()
    await index("item_version_name").on("item_version").columns(["environment_id", "name", "revision"]).execute()
    await db.schema
      .createIndex("item_version_erased")
      .on("item_version")
      .columns(["environment_id", "revision"])
      .where(sql.ref("erased_at"), "is not", null)
      .execute()
  },
}

const itemsPerStep = 20_000

// biome-ignore lint/suspicious/noExplicitAny: a migration is written for the tables of its time.
async function fill(db: Kysely<any>, say: (what: string) => void): Promise<void> {
  const { rows: environments } = await sql<{ id: number; items: number }>`
    select id, item_count as items from environment order by id`.execute(db)
  const total = environments.reduce((sum, { items }) => sum + items, 0)
  const now = Date.now()
  let from = 0
  let step = 0
  let done = 0
  for (const [at, { id, items }] of environments.entries()) {
    step += items
    if (step < itemsPerStep && at < environments.length - 1) continue
    await sql`
      insert into revision
        (environment_id, number, created_at, action, actor, actor_name, note, added, changed, removed)
      select id, revision, ${now}, 'history.begin', 'server', '', '', item_count, 0, 0
      from environment where id > ${from} and id <= ${id}`.execute(db)
    await sql`
      insert into item_version (environment_id, revision, name, sealed_value, item_id)
      select item.environment_id, environment.revision, item.name, item.sealed_value, item.id
      from item join environment on environment.id = item.environment_id
      where environment.id > ${from} and environment.id <= ${id}`.execute(db)
    done += step
    step = 0
    from = id
    say(`${done.toLocaleString("en-US")} of ${total.toLocaleString("en-US")} items have their first version`)
  }
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
