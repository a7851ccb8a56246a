import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/**
 * Which value of a sign-in provider's claim fills a team. Until now it was the team's name, and of several teams with one
 * name, the one that had had it for longest. Those that a claim has filled stay tied to it. `named_at` and the index
 * `team_name` stay, since nodes of the version before still ask for them beside those of this one.
 */
export const claimedTeams: Migration = {
  name: "034-claimed-teams",
  async up(db) {
    await db.schema.alterTable("team").addColumn("claim_value", "text").execute()
    await sql`
      update team set claim_value = name
      where exists (select 1 from identity_team where identity_team.team_id = team.id)
        and id = (select other.id from team as other where other.name = team.name
          order by coalesce(other.named_at, other.created_at), other.id limit 1)`.execute(db)
    await db.schema
      .createIndex("team_claim_value")
      .unique()
      .on("team")
      .column("claim_value")
      .where(sql.ref("claim_value"), "is not", null)
      .execute()
  },
}
