import type { CreateTableBuilder } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Accounts at sign-in providers that people sign in with, and sign-ins that are under way there. */
export const identities: Migration = {
  name: "022-identities",
  async up(db, engine) {
    const table = (name: string) => withId(db.schema.createTable(name), engine)
    await table("identity")
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("issuer", "text", (column) => column.notNull())
      .addColumn("subject", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("last_used_at", "bigint")
      .execute()
    await table("identity_team")
      .addColumn("identity_id", "bigint", (column) => column.notNull().references("identity.id").onDelete("cascade"))
      .addColumn("team_id", "bigint", (column) => column.notNull().references("team.id").onDelete("cascade"))
      .execute()
    await table("provider_visit")
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("provider", "text", (column) => column.notNull())
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("session_id", "bigint", (column) => column.references("session.id").onDelete("cascade"))
      .addColumn("return_to", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute()

    const index = (name: string, on: string) => db.schema.createIndex(name).on(on)
    await index("identity_subject", "identity").unique().columns(["issuer", "subject"]).execute()
    await index("identity_user", "identity").column("user_id").execute()
    await index("identity_team_once", "identity_team").unique().columns(["identity_id", "team_id"]).execute()
    await index("identity_team_team", "identity_team").column("team_id").execute()
    await index("provider_visit_session", "provider_visit").column("session_id").execute()
    await index("provider_visit_expires", "provider_visit").column("expires_at").execute()
    // The values of a claim name teams.
    await index("team_name", "team").columns(["name", "id"]).execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
