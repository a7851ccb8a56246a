import { QueryClient } from "@tanstack/react-query"
import { expect, test } from "vitest"
import { endSession, forgetCollection, keys } from "./state.ts"

const lost = 71
const other = 72
const environment = 81

/** Everything that is read of one collection. */
const ofCollection = (id: number) => [
  keys.collection(id),
  keys.names(id),
  keys.envExample(id, environment),
  keys.sharing(id),
  keys.members(id),
  keys.trashedEnvironments(id),
  [...keys.instanceCounts(id), "81.1"],
  keys.webhooks(id),
  keys.deliveries(id, 1),
  keys.activity({ of: "collection", id }, { kind: "items" }),
  keys.keyReads(id),
]

/** Their keys do not say which collection they are of. */
const ofAny = [
  [...keys.history(environment), "list"],
  keys.lastChange(environment, "TOKEN"),
  keys.instances(environment),
  keys.found({ text: "tok" }),
  keys.keyLeak(1, "81:1"),
]

function filled(): QueryClient {
  const client = new QueryClient()
  for (const queryKey of [...ofCollection(lost), ...ofCollection(other), ...ofAny]) client.setQueryData(queryKey, {})
  client.setQueryData(keys.collections, [{ id: lost }, { id: other }])
  client.setQueryData(keys.opened, [{ collectionId: lost }, { collectionId: other }])
  client.setQueryData(keys.user, { id: 1 })
  return client
}

const heldIn = (client: QueryClient) =>
  client
    .getQueryCache()
    .getAll()
    .map(({ queryKey }) => queryKey)

test("of a collection that is lost, nothing stays in memory", () => {
  const client = filled()

  forgetCollection(client, lost)

  const rest = [...ofCollection(other), keys.collections, keys.opened, keys.user]
  expect(heldIn(client)).toEqual(expect.arrayContaining(rest))
  expect(heldIn(client)).toHaveLength(rest.length)
  expect(client.getQueryData(keys.collections)).toEqual([{ id: other }])
  expect(client.getQueryData(keys.opened)).toEqual([{ collectionId: other }])
})

test("of a session that ended, only that it ended stays in memory", () => {
  const client = filled()

  endSession(client)

  expect(heldIn(client)).toEqual([keys.user])
  expect(client.getQueryData(keys.user)).toBeNull()
})
