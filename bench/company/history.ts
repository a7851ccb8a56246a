import type { KeyObject } from "node:crypto"
import { supersededVersionBytes } from "@envkeep/server/features/environments/items/change-items.ts"
import { sealSecret } from "@envkeep/server/keys/secrets.ts"
import type { Filling } from "./filling.ts"

interface Content {
  environmentId: number
  ownerId: number
  dataKey: KeyObject
  /** Of items. */
  count: number
  versionsPerItem: number
}

const minuteMs = 60_000

/**
 * The items of an environment and how they came about: revision 1 made it, revision 2 saved all items, and each of those
 * that follow changed some of them, in turn.
 */
export function addHistory(
  filling: Filling,
  content: Content,
): { revision: number; sealedBytes: number; historyBytes: number } {
  const { writer, random, now } = filling
  const { environmentId, ownerId, count } = content
  const changes = Math.round((content.versionsPerItem - 1) * count)
  // No revision can change an item twice.
  const revisions = changes === 0 ? 0 : Math.max(Math.ceil(changes / count), 4 + random.below(40))
  const perRevision = Math.ceil(changes / Math.max(1, revisions))
  const items = Array.from({ length: count }, (_, at) => newItem(filling, at))
  const began = now - (revisions + 2) * 30 * minuteMs
  const addRevision = (number: number, counts: { action: string; added: number; changed: number }) =>
    writer.add("revision", {
      id: filling.nextId("revision"),
      environment_id: environmentId,
      number,
      created_at: began + number * 30 * minuteMs,
      action: counts.action,
      actor: "user",
      actor_id: ownerId,
      actor_name: `user ${ownerId}`,
      note: "",
      added: counts.added,
      changed: counts.changed,
      removed: 0,
    })

  addRevision(1, { action: "environment.create", added: 0, changed: 0 })
  addRevision(2, { action: "items.save", added: count, changed: 0 })
  for (const item of items) putVersion(filling, content, item, 2)
  let revision = 2
  let historyBytes = 0
  for (let done = 0; done < changes; done += perRevision) {
    const changed = Math.min(perRevision, changes - done)
    addRevision(++revision, { action: "items.save", added: 0, changed })
    for (let at = done; at < done + changed; at++) {
      const item = items[at % count] as Item
      historyBytes += supersededVersionBytes(item.name.length, item.sealed.length)
      putVersion(filling, content, item, revision)
    }
  }
  let sealedBytes = 0
  for (const { id, name, sealed, revision: number } of items) {
    sealedBytes += sealed.length
    writer.add("item", { id, environment_id: environmentId, name, sealed_value: sealed, revision: number })
  }
  return { revision, sealedBytes, historyBytes }
}

interface Item {
  id: number
  name: string
  sealed: Uint8Array
  revision: number
}

const words = ["DATABASE_URL", "API_TOKEN", "FEATURE", "TIMEOUT_MS", "QUEUE", "SECRET"]

function newItem({ nextId, random }: Filling, at: number): Item {
  return { id: nextId("item"), name: `${random.pick(words)}_${at}`, sealed: new Uint8Array(), revision: 0 }
}

function putVersion({ writer, nextId }: Filling, { environmentId, dataKey }: Content, item: Item, revision: number) {
  const value = `postgres://db.internal:5432/${item.id}?v=${revision}`
  item.sealed = sealSecret(dataKey, value, { kind: "item", environmentId, name: item.name })
  item.revision = revision
  writer.add("item_version", {
    id: nextId("item_version"),
    environment_id: environmentId,
    revision,
    name: item.name,
    sealed_value: item.sealed,
    item_id: item.id,
  })
}
