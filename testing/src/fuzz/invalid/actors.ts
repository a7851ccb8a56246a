import type { FuzzApp } from "../fuzz-app.ts"
import type { RequestPlan } from "./requests.ts"

/** A user who owns one thing of each kind, marked so that it is recognised wherever it appears. */
export interface Actor {
  id: number
  isAdmin: boolean
  /** In lower case, as others know it. */
  email: string
  /** As its owner spells it. */
  shownEmail: string
  token: string
  key: string
  ids: number[]
  /** Strings that only this user may see. */
  secrets: string[]
}

export interface Actors {
  victim: Actor
  attacker: Actor
  admin: Actor
}

export async function createActors(app: FuzzApp): Promise<Actors> {
  await app.empty()
  return {
    victim: await createActor(app, "Kq7victim"),
    attacker: await createActor(app, "Zx4attacker"),
    admin: await createActor(app, "Wj9admin", true),
  }
}

async function createActor(app: FuzzApp, mark: string, isAdmin = false): Promise<Actor> {
  // Requests of others contain this e-mail in lower case only. Seen in its owner's spelling, it is a leak.
  const email = `${mark}@example.com`
  const { id } = await app.user(email, isAdmin)
  const token = await app.session(id)
  const collection = await app.collection(token, { name: mark, description: mark })
  const made = await app.environment(token, collection.id, {
    name: mark,
    item: { name: mark, value: mark },
    keyName: mark,
  })
  const key = String(made.key.key)
  const ids = [collection.id, made.environment.id, made.item.id, made.key.id, id]
  return { id, isAdmin, email: email.toLowerCase(), shownEmail: email, token, key, ids, secrets: [mark, token, key] }
}

/** Administrators make others administrators, and no longer ones. */
export async function noticeAdmins({ db }: FuzzApp, actors: Actors): Promise<void> {
  const admins = new Set(
    (await db.selectFrom("user").select("id").where("is_admin", "=", 1).execute()).map(({ id }) => id),
  )
  for (const actor of Object.values(actors) as Actor[]) actor.isAdmin = admins.has(actor.id)
}

/** The actor who makes a request; undefined for a guest. */
export function actorOf(actors: Actors, { by }: RequestPlan, access: string): Actor | undefined {
  if (by === "guest") return undefined
  if (by === "an entitled user") return access === "admin" ? actors.admin : actors.attacker
  return actors[by]
}

const volatileColumns = new Set(["last_used_at", "last_used_by", "last_used_from", "seen_at"])

/** The owner of an account's own rows in `rowsByOwner`, which administrators may change. */
export const accountOwner = (userId: number) => `account ${userId}`

/** All rows of the store as text, by owner, including columns that no answer shows. */
export async function rowsByOwner({ db }: FuzzApp): Promise<Map<string, string>> {
  const rows = {
    user: (await db.selectFrom("user").selectAll().orderBy("id").execute()).map((row) => ({
      ...row,
      owner: accountOwner(row.id),
    })),
    session: (await db.selectFrom("session").selectAll().orderBy("id").execute()).map((row) => ({
      ...row,
      owner: accountOwner(row.user_id),
    })),
    collection: await db
      .selectFrom("collection")
      .selectAll("collection")
      .select("owner_id as owner")
      .orderBy("id")
      .execute(),
    environment: await owned(db).selectAll("environment").orderBy("environment.id").execute(),
    item: await owned(db)
      .innerJoin("item", "item.environment_id", "environment.id")
      .selectAll("item")
      .orderBy("item.id")
      .execute(),
    apiKey: await owned(db)
      .innerJoin("api_key", "api_key.environment_id", "environment.id")
      .selectAll("api_key")
      .orderBy("api_key.id")
      .execute(),
    product: (await db.selectFrom("product").selectAll().orderBy("id").execute()).map((row) => ({
      ...row,
      owner: "products",
    })),
  }
  const text = new Map<string, string>()
  for (const [table, all] of Object.entries(rows)) {
    for (const row of all) {
      const json = JSON.stringify({ table, ...row }, (name, value) => (volatileColumns.has(name) ? undefined : value))
      text.set(String(row.owner), `${text.get(String(row.owner)) ?? ""}${json}\n`)
    }
  }
  return text
}

const owned = (db: FuzzApp["db"]) =>
  db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("collection.owner_id as owner")
