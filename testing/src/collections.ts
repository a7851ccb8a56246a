import type { Db } from "@envkeep/server/db/schema.ts"
import type { Person } from "./person.ts"

/** Adds empty collections of a person, of which there can be thousands, and returns their ids. */
export async function addCollections(
  db: Db,
  person: Person,
  count: number,
  values: { trashed_at?: number } = {},
): Promise<number[]> {
  const userId = (await person.get<{ id: number }>("/users/me")).body.data.id
  const row = { owner_id: userId, name: "app", description: "", data_key: new Uint8Array(), ...values }
  const added = await db.insertInto("collection").values(Array(count).fill(row)).returning("id").execute()
  const ids = added.map(({ id }) => id).sort((one, other) => one - other)
  const members = ids.map((id) => ({ collection_id: id, user_id: userId, role: "owner" as const, created_at: 0 }))
  await db.insertInto("collection_member").values(members).execute()
  return ids
}
