import { type KeyObject, randomBytes } from "node:crypto"
import type { ChainedContent } from "@envkeep/server/audit/encode.ts"
import { keyOf, seal } from "@envkeep/server/keys/seal.ts"
import { sealSecret } from "@envkeep/server/keys/secrets.ts"
import { hashToken, newApiKey } from "@envkeep/server/keys/token.ts"
import { whole } from "../report.ts"
import type { Filling } from "./filling.ts"
import { addHistory } from "./history.ts"
import { type People, some } from "./people.ts"
import type { Size } from "./size.ts"

type NewEvent = Omit<ChainedContent, "id">

interface Part {
  size: Size
  people: People
  rootKey: KeyObject
  say(line: string): void
}

interface Collection {
  id: number
  ownerId: number
  dataKey: KeyObject
}

const levels = ["viewer", "reader", "editor", "maintainer"] as const
/** One in so many is in the trash. */
const oneTrashedOf = 50
const readsPerKey = 5

/** Collections with members, environments with all they hold. Returns the events of it, which are chained at the end. */
export async function addCollections(filling: Filling, part: Part): Promise<Iterable<NewEvent>> {
  const { size, people, say } = part
  const collections = Array.from({ length: size.collections }, (_, at) => addCollection(filling, part, at))
  const counts = itemCounts(size)
  const environments: { id: number; collection: Collection }[] = []
  let items = 0
  for (const [at, count] of counts.entries()) {
    const collection = collections[at < collections.length ? at : skewed(filling, collections.length)] as Collection
    environments.push({ id: addEnvironment(filling, collection, { at, count, size, people }), collection })
    await filling.writer.settle()
    if (Math.floor((items + count) / 500_000) > Math.floor(items / 500_000)) say(`    ${whole(items + count)} items`)
    items += count
  }
  return eventsOf(filling, { count: size.events, environments, people })
}

/** The first in a list come up most often. */
function skewed({ random }: Filling, length: number): number {
  return Math.floor((random.below(1_000_000) / 1_000_000) ** 2 * length)
}

function addCollection(filling: Filling, { people: { userIds, teamIds }, rootKey }: Part, at: number): Collection {
  const { writer, nextId, sometime, random } = filling
  const id = nextId("collection")
  const ownerId = userIds[at % 4 === 0 ? 0 : skewed(filling, userIds.length)] as number
  const bytes = randomBytes(32)
  const isTrashed = at % oneTrashedOf === oneTrashedOf - 1
  writer.add("collection", {
    id,
    owner_id: ownerId,
    name: `app ${id}`,
    description: "",
    data_key: seal(rootKey, bytes, ["collection", id]),
    changed_at: sometime(),
    trashed_at: isTrashed ? sometime() : null,
    trashed_by: isTrashed ? "user 1" : null,
  })
  const share = (table: string, column: string, to: number, role: string) =>
    writer.add(table, { id: nextId(table), collection_id: id, [column]: to, role, created_at: sometime() })
  share("collection_member", "user_id", ownerId, "owner")
  for (const userId of some(filling, userIds, 6)) {
    if (userId !== ownerId) share("collection_member", "user_id", userId, random.pick(levels))
  }
  for (const teamId of some(filling, teamIds, 2)) share("collection_team", "team_id", teamId, random.pick(levels))
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
  { id: collectionId, ownerId, dataKey }: Collection,
  { at, count, size }: { at: number; count: number; size: Size; people: People },
): number {
  const { writer, nextId, sometime } = filling
  const id = nextId("environment")
  const isTrashed = at % oneTrashedOf === oneTrashedOf - 2
  const versionsPerItem = size.versions / size.items
  const written = addHistory(filling, { environmentId: id, ownerId, dataKey, count, versionsPerItem })
  writer.add("environment", {
    id,
    collection_id: collectionId,
    name: isTrashed ? ` stage ${id} (in the trash: ${id})` : `stage ${id}`,
    trashed_name: isTrashed ? `stage ${id}` : null,
    trashed_at: isTrashed ? sometime() : null,
    trashed_by: isTrashed ? "user 1" : null,
    revision: written.revision,
    item_count: count,
    sealed_bytes: written.sealedBytes,
    history_bytes: written.historyBytes,
    changed_at: filling.now,
  })
  addKey(filling, { environmentId: id, collectionId, dataKey })
  return id
}

function addKey(
  { writer, nextId, sometime, now }: Filling,
  { environmentId, collectionId, dataKey }: { environmentId: number; collectionId: number; dataKey: KeyObject },
): void {
  const id = nextId("api_key")
  const [name, key] = ["production", newApiKey()]
  writer.add("api_key", {
    id,
    environment_id: environmentId,
    name,
    key_hash: hashToken(key),
    sealed_key: sealSecret(dataKey, key, { kind: "api-key", environmentId, name }),
    created_at: sometime(),
    last_used_at: now,
    last_used_by: "envkeep/0.2.0",
  })
  const thisHour = now - (now % 3_600_000)
  for (let hour = 1; hour <= readsPerKey; hour++) {
    writer.add("key_read", {
      id: nextId("key_read"),
      api_key_id: id,
      api_key_name: name,
      environment_id: environmentId,
      collection_id: collectionId,
      address: "192.0.2.1",
      hour_at: thisHour - hour * 3_600_000,
      last_at: thisHour - hour * 3_600_000,
      reads: 10,
      client: "envkeep/0.2.0",
    })
  }
}

function* eventsOf(
  filling: Filling,
  {
    count,
    environments,
    people: { userIds },
  }: { count: number; environments: { id: number; collection: Collection }[]; people: People },
): Generator<NewEvent> {
  const { now, random } = filling
  for (let at = 0; at < count; at++) {
    const userId = userIds[skewed(filling, userIds.length)] as number
    const { id, collection } = environments[skewed(filling, environments.length)] as (typeof environments)[number]
    // Every tenth is a login, which is about no collection.
    const isLogin = at % 10 === 0
    yield {
      created_at: now - (count - at),
      action: isLogin ? "session.begin" : random.pick(["item.edit", "items.save"]),
      actor: "user",
      actor_id: userId,
      actor_name: `user ${userId}`,
      account_id: userId,
      account_name: `user ${userId}`,
      address: "192.0.2.1",
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
