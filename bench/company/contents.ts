import { type KeyObject, randomBytes } from "node:crypto"
import type { ChainedContent } from "@envkeep/server/audit/encode.ts"
import { supersededVersionBytes } from "@envkeep/server/features/environments/items/change-items.ts"
import { keyOf, seal } from "@envkeep/server/keys/seal.ts"
import { sealSecret } from "@envkeep/server/keys/secrets.ts"
import { hashToken, newApiKey } from "@envkeep/server/keys/token.ts"
import { whole } from "../report.ts"
import type { Filling } from "./filling.ts"
import type { Size } from "./size.ts"

interface Part {
  size: Size
  rootKey: KeyObject
  passwordHash: string
  say(line: string): void
}

interface People {
  userIds: number[]
  teamIds: number[]
}

interface Collection {
  id: number
  ownerId: number
  dataKey: KeyObject
}

interface Environment {
  id: number
  collection: Collection
}

type NewEvent = Omit<ChainedContent, "id">

const levels = ["viewer", "reader", "editor", "maintainer"] as const
/** One in so many is in the trash. */
const oneTrashedOf = 50
const [address, program] = ["192.0.2.1", "envkeep/0.2.0"]

/** People, and collections with all that they hold. Returns the events of it, which are chained at the end. */
export async function addContents(filling: Filling, part: Part): Promise<Iterable<NewEvent>> {
  const { size, rootKey, say } = part
  const people = addPeople(filling, part)
  const collections = Array.from({ length: size.collections }, (_, at) => addCollection(filling, people, rootKey, at))
  const environments: Environment[] = []
  let items = 0
  for (const [at, count] of itemCounts(size).entries()) {
    const collection = collections[at] ?? filling.skewed(collections)
    environments.push({ id: addEnvironment(filling, collection, { at, count, size }), collection })
    await filling.settle()
    if (Math.floor((items + count) / 500_000) > Math.floor(items / 500_000)) say(`    ${whole(items + count)} items`)
    items += count
  }
  return eventsOf(filling, size.events, environments, people)
}

const teamsPerUser = 4

export const emailOf = (userId: number) => `user${userId}@company.example`

/** Users with a session each, and teams. The first user is in all teams; the others are in some. */
function addPeople(filling: Filling, { size: { users, teams }, passwordHash }: Part): People {
  const userIds = Array.from({ length: users }, () => filling.nextId("user"))
  for (const id of userIds) {
    filling.put("user", {
      id,
      username: `user ${id}`,
      email: emailOf(id),
      email_key: emailOf(id),
      password_hash: passwordHash,
      is_admin: id === 1 ? 1 : 0,
      created_at: filling.sometime(),
      last_sign_in_at: filling.sometime(),
    })
    filling.add("session", {
      user_id: id,
      token_hash: randomBytes(32).toString("hex"),
      created_at: filling.now,
      seen_at: filling.now,
      address,
      client: "Firefox on Linux",
    })
  }
  const teamIds = Array.from({ length: teams }, (_, at) =>
    filling.add("team", { name: `team ${at}`, created_at: filling.sometime() }),
  )
  for (const [at, userId] of userIds.entries()) {
    for (const teamId of at === 0 && teams <= 100 ? teamIds : filling.some(teamIds, teamsPerUser)) {
      const row = { team_id: teamId, user_id: userId, is_admin: at % 10 === 0 ? 1 : 0 }
      filling.add("team_member", { ...row, created_at: filling.sometime() })
    }
  }
  return { userIds, teamIds }
}

function addCollection(filling: Filling, { userIds, teamIds }: People, rootKey: KeyObject, at: number): Collection {
  const { random } = filling
  const id = filling.nextId("collection")
  const ownerId = at % 4 === 0 ? (userIds[0] as number) : filling.skewed(userIds)
  const bytes = randomBytes(32)
  const isTrashed = at % oneTrashedOf === oneTrashedOf - 1
  filling.put("collection", {
    id,
    owner_id: ownerId,
    name: `app ${id}`,
    description: "",
    data_key: seal(rootKey, bytes, ["collection", id]),
    changed_at: filling.sometime(),
    trashed_at: isTrashed ? filling.sometime() : null,
    trashed_by: isTrashed ? "user 1" : null,
  })
  const share = (table: string, column: string, to: number, role: string) =>
    filling.add(table, { collection_id: id, [column]: to, role, created_at: filling.sometime() })
  share("collection_member", "user_id", ownerId, "owner")
  for (const userId of filling.some(userIds, 6)) {
    if (userId !== ownerId) share("collection_member", "user_id", userId, random.pick(levels))
  }
  for (const teamId of filling.some(teamIds, 2)) share("collection_team", "team_id", teamId, random.pick(levels))
  return { id, ownerId, dataKey: keyOf(bytes) }
}

/** A few have thousands of items, and most have some. */
function itemCounts({ environments, items }: Size): number[] {
  const weights = Array.from({ length: environments }, (_, at) => (at % 100 === 0 ? 16 : at % 100 < 10 ? 4 : 0.5))
  const perWeight = items / weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => Math.max(1, Math.round(weight * perWeight)))
}

function addEnvironment(
  filling: Filling,
  collection: Collection,
  { at, count, size }: { at: number; count: number; size: Size },
): number {
  const id = filling.nextId("environment")
  const isTrashed = at % oneTrashedOf === oneTrashedOf - 2
  const written = addItems(filling, { id, collection }, count, size.versions / size.items)
  filling.put("environment", {
    id,
    collection_id: collection.id,
    name: isTrashed ? ` stage ${id} (in the trash: ${id})` : `stage ${id}`,
    trashed_name: isTrashed ? `stage ${id}` : null,
    trashed_at: isTrashed ? filling.sometime() : null,
    trashed_by: isTrashed ? "user 1" : null,
    item_count: count,
    changed_at: filling.now,
    ...written,
  })
  addKey(filling, { id, collection })
  return id
}

const halfHourMs = 30 * 60_000
const words = ["DATABASE_URL", "API_TOKEN", "FEATURE", "TIMEOUT_MS", "QUEUE", "SECRET"]

/**
 * The items of an environment and how they came about: revision 1 made it, revision 2 saved all items, and each of those
 * that follow changed some of them, in turn.
 */
function addItems(filling: Filling, { id: environmentId, collection }: Environment, count: number, perItem: number) {
  const { random, now } = filling
  const changes = Math.round((perItem - 1) * count)
  // No revision can change an item twice.
  const revisions = changes === 0 ? 0 : Math.max(Math.ceil(changes / count), 4 + random.below(40))
  const perRevision = Math.ceil(changes / Math.max(1, revisions))
  const items = Array.from({ length: count }, (_, at) => {
    const name = `${random.pick(words)}_${at}`
    return { id: filling.nextId("item"), name, sealed: new Uint8Array() as Uint8Array, revision: 0 }
  })
  let [revision, historyBytes] = [0, 0]
  addRevision("environment.create", 0, 0)
  addRevision("items.save", count, 0)
  for (const item of items) putVersion(item)
  for (let done = 0; done < changes; done += perRevision) {
    const changed = Math.min(perRevision, changes - done)
    addRevision("items.save", 0, changed)
    for (let at = done; at < done + changed; at++) {
      const item = items[at % count] as (typeof items)[number]
      historyBytes += supersededVersionBytes(item.name.length, item.sealed.length)
      putVersion(item)
    }
  }
  for (const { id, name, sealed, revision } of items) {
    filling.put("item", { id, environment_id: environmentId, name, sealed_value: sealed, revision })
  }
  const sealedBytes = items.reduce((sum, { sealed }) => sum + sealed.length, 0)
  return { revision, sealed_bytes: sealedBytes, history_bytes: historyBytes }

  function addRevision(action: string, added: number, changed: number): void {
    revision++
    filling.add("revision", {
      environment_id: environmentId,
      number: revision,
      created_at: now - (revisions + 2 - revision) * halfHourMs,
      action,
      actor: "user",
      actor_id: collection.ownerId,
      actor_name: `user ${collection.ownerId}`,
      note: "",
      added,
      changed,
      removed: 0,
    })
  }

  function putVersion(item: (typeof items)[number]): void {
    const { id, name } = item
    const value = `postgres://db.internal:5432/${id}?v=${revision}`
    item.sealed = sealSecret(collection.dataKey, value, { kind: "item", environmentId, name })
    item.revision = revision
    const version = { environment_id: environmentId, revision, name, sealed_value: item.sealed, item_id: id }
    filling.add("item_version", version)
  }
}

const readsPerKey = 5
const hourMs = 3_600_000

function addKey(filling: Filling, { id: environmentId, collection }: Environment): void {
  const { now } = filling
  const [name, key] = ["production", newApiKey()]
  const id = filling.add("api_key", {
    environment_id: environmentId,
    name,
    key_hash: hashToken(key),
    sealed_key: sealSecret(collection.dataKey, key, { kind: "api-key", environmentId, name }),
    created_at: filling.sometime(),
    last_used_at: now,
    last_used_by: program,
  })
  for (let hour = 1; hour <= readsPerKey; hour++) {
    const at = now - (now % hourMs) - hour * hourMs
    filling.add("key_read", {
      api_key_id: id,
      api_key_name: name,
      environment_id: environmentId,
      collection_id: collection.id,
      address,
      hour_at: at,
      last_at: at,
      reads: 10,
      client: program,
    })
  }
}

/** Every tenth is a login, which is about no collection. */
function* eventsOf(
  filling: Filling,
  count: number,
  environments: readonly Environment[],
  { userIds }: People,
): Generator<NewEvent> {
  for (let at = 0; at < count; at++) {
    const userId = filling.skewed(userIds)
    const { id, collection } = filling.skewed(environments)
    const isLogin = at % 10 === 0
    yield {
      created_at: filling.now - (count - at),
      action: isLogin ? "session.begin" : filling.random.pick(["item.edit", "items.save"]),
      actor: "user",
      actor_id: userId,
      actor_name: `user ${userId}`,
      account_id: userId,
      account_name: `user ${userId}`,
      address,
      client: "Firefox on Linux",
      collection_id: isLogin ? null : collection.id,
      collection_name: isLogin ? "" : `app ${collection.id}`,
      environment_id: isLogin ? null : id,
      environment_name: isLogin ? "" : `stage ${id}`,
      api_key_id: null,
      api_key_name: "",
      details: isLogin ? "{}" : '{"names":["DATABASE_URL"]}',
    }
  }
}
