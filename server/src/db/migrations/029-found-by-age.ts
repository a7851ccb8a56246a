import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/**
 * For deleting what is old in small pieces: the newest invitations of a collection, of a team, of the server or of an
 * inviter are found in an index alone, and so are those that expired first. And of all teams with a name, the one that has
 * had it for longest is the first of them.
 */
export const foundByAge: Migration = {
  name: "029-found-by-age",
  async up(db) {
    const index = (name: string, on: string) => db.schema.createIndex(name).on(on)
    for (const column of ["collection_id", "team_id", "invited_by_id"]) {
      await db.schema.dropIndex(`invitation_${column}`).execute()
      await index(`invitation_${column}`, "invitation").columns([column, "id"]).execute()
    }
    // Otherwise those to the server would be looked for among all that are to teams, or among all that are to collections.
    await index("invitation_to_server", "invitation")
      .columns(["collection_id", "team_id"])
      .where(sql.ref("collection_id"), "is", null)
      .where(sql.ref("team_id"), "is", null)
      .execute()
    await index("invitation_expires", "invitation").column("expires_at").execute()

    await db.schema.dropIndex("team_name").execute()
    await index("team_name", "team").expression(sql`name, coalesce(named_at, created_at), id`).execute()
  },
}
