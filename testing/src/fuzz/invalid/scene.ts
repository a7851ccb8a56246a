import type { ApiKey, Collection, Environment, Item } from "@envkeep/contract"
import { envelopeOf } from "../wire.ts"
import type { World } from "../world.ts"
import type { Request } from "./requests.ts"

/** Somebody with something of each kind, all of it recognisable wherever it turns up. */
export interface Somebody {
  id: number
  isAdmin: boolean
  email: string
  token: string
  key: string
  ids: number[]
  /** What only they may ever see. */
  secrets: string[]
}

export interface Scene {
  victim: Somebody
  attacker: Somebody
  admin: Somebody
}

export async function setScene(world: World): Promise<Scene> {
  await world.empty()
  return {
    victim: await somebody(world, "Kq7victim"),
    attacker: await somebody(world, "Zx4attacker"),
    admin: await somebody(world, "Wj9admin", true),
  }
}

async function somebody(world: World, mark: string, isAdmin = false): Promise<Somebody> {
  // Others may know the e-mail and say it, but not in the case in which its owner wrote it.
  const email = `${mark}@example.com`
  const { id } = await world.user(email, isAdmin)
  const token = await world.session(id)
  const post = async <Data>(path: string, body: unknown): Promise<Data> => {
    const headers = { cookie: `envkeep_session=${token}`, "content-type": "application/json" }
    const received = await world.wire.send({ method: "POST", path: `/api${path}`, headers, body: JSON.stringify(body) })
    return envelopeOf(received)?.data as Data
  }
  const collection = await post<Collection>("/collection", { name: mark, description: mark })
  const environment = await post<Environment>("/subcollection", { name: mark, collectionId: collection.id })
  const item = await post<Item>("/collectionItem", { name: mark, value: mark, subCollectionId: environment.id })
  const apiKey = await post<ApiKey>("/api-key", { name: mark, subCollectionId: environment.id })
  const key = String(apiKey.key)
  const ids = [collection.id, environment.id, item.id, apiKey.id]
  return { id, isAdmin, email: email.toLowerCase(), token, key, ids, secrets: [mark, token, key] }
}

/** Whose name a request is made in; nothing for a guest. */
export function actorOf(scene: Scene, { by }: Request, access: string): Somebody | undefined {
  if (by === "guest") return undefined
  if (by === "whoever may") return access === "admin" ? scene.admin : scene.attacker
  return scene[by]
}

const columnsThatMove = new Set(["last_used_at", "seen_at"])

/** All that the store holds, by whom it belongs to: the whole of it, not only what is shown. */
export async function stateOf({ db }: World): Promise<Map<string, string>> {
  const rows = {
    user: await db.selectFrom("user").selectAll("user").select("id as owner").orderBy("id").execute(),
    session: await db.selectFrom("session").selectAll("session").select("user_id as owner").orderBy("id").execute(),
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
  const state = new Map<string, string>()
  for (const [table, all] of Object.entries(rows)) {
    for (const row of all) {
      const text = JSON.stringify({ table, ...row }, (name, value) => (columnsThatMove.has(name) ? undefined : value))
      state.set(String(row.owner), `${state.get(String(row.owner)) ?? ""}${text}\n`)
    }
  }
  return state
}

const owned = (db: World["db"]) =>
  db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("collection.owner_id as owner")
