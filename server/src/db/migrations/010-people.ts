import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/**
 * Collections have members with roles, teams bring theirs, and environments can be protected. Each owner of a collection
 * becomes its member with the role of an owner.
 */
export const people: Migration = {
  name: "010-people",
  async up(db, engine) {
    const table = (name: string) => withId(db.schema.createTable(name), engine)

    await db.schema
      .alterTable("environment")
      .addColumn("is_protected", "integer", (column) => column.notNull().defaultTo(0))
      .execute()

    await table("collection_member")
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()
    await table("team")
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()
    await table("team_member")
      .addColumn("team_id", "bigint", (column) => column.notNull().references("team.id").onDelete("cascade"))
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("is_admin", "integer", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()
    await table("collection_team")
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addColumn("team_id", "bigint", (column) => column.notNull().references("team.id").onDelete("cascade"))
      .addColumn("role", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()
    await table("invitation")
      .addColumn("secret_hash", "text", (column) => column.notNull().unique())
      .addColumn("collection_id", "bigint", (column) => column.references("collection.id").onDelete("cascade"))
      .addColumn("team_id", "bigint", (column) => column.references("team.id").onDelete("cascade"))
      .addColumn("role", "text")
      .addColumn("invited_by_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("revoked_at", "bigint")
      .addColumn("max_uses", "integer", (column) => column.notNull())
      .addColumn("uses", "integer", (column) => column.notNull())
      .execute()

    // Lists begin with a user, and find what they reach and how in the indexes alone: those have the role.
    const index = (name: string, on: string) => db.schema.createIndex(name).on(on)
    await index("collection_member_once", "collection_member").unique().columns(["collection_id", "user_id"]).execute()
    await index("collection_member_user", "collection_member").columns(["user_id", "collection_id", "role"]).execute()
    await index("team_member_once", "team_member").unique().columns(["team_id", "user_id"]).execute()
    await index("team_member_user", "team_member").columns(["user_id", "team_id"]).execute()
    await index("collection_team_once", "collection_team").unique().columns(["collection_id", "team_id"]).execute()
    await index("collection_team_team", "collection_team").columns(["team_id", "collection_id", "role"]).execute()
    for (const column of ["collection_id", "team_id", "invited_by_id"]) {
      await index(`invitation_${column}`, "invitation").column(column).execute()
    }

    // Users are added by exact username.
    await index("user_username", "user").column("username").execute()

    await sql`
      insert into collection_member (collection_id, user_id, role, created_at)
      select id, owner_id, 'owner', ${Date.now()} from collection order by id`.execute(db)
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
