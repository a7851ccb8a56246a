import { type Collection, collections } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { setBase } from "../model/bases.ts"
import { commandsAbout, commandsFor, expectSame } from "../model/command.ts"
import {
  changeItems,
  endKeys,
  learnId,
  levelsAbove,
  type Model,
  type ModelCollection,
  type ModelEnvironment,
  newCollection,
  newEnvironment,
  nextRevision,
} from "../model/model.ts"
import { byId, collectionSummaryView, collectionsView, collectionView } from "../model/views.ts"

export const collectionsCommands = {
  list: commandsFor(collections.list, { data: ({ account }) => collectionsView(account) }),

  get: commandsAbout("collection", collections.get, {
    // With tags, what the answer says depends on what the reader has.
    fields: { tagged: fc.constant(undefined) },
    data: ({ collection }) => collectionView(collection),
  }),

  live: commandsAbout("collection", collections.live, {
    weight: 1,
    // What the stream says later is tested elsewhere.
    data: (_, __, { headers }) => expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8"),
  }),

  create: commandsFor(collections.create, {
    data({ model, account, input: { name, description = "" } }, { id }) {
      const collection = newCollection({ id: learnId(model, "collection", id), name: name.trim(), description })
      account.collections.set(id, collection)
      return collectionSummaryView(collection)
    },
  }),

  duplicate: commandsAbout("collection", collections.duplicate, {
    weight: 2,
    data({ model, account, collection: { description, described }, input }, { id }) {
      const copy = newCollection({ id: learnId(model, "collection", id), name: input.name.trim(), description })
      copy.described = new Map(described)
      account.collections.set(id, copy)
      return { id, name: copy.name, hidden: 0, damaged: 0 }
    },
    async after({ model, account, collection: source, input: { what } }, read, { id }) {
      const copy = account.collections.get(id) as ModelCollection
      learnCopy(model, { source, copy, what }, await read(`/collection/${copy.id}`))
      expectSame(await read(`/collection/${copy.id}`), collectionView(copy))
    },
  }),

  update: commandsAbout("collection", collections.update, {
    data({ collection, input: { name, description } }) {
      collection.name = name.trim()
      collection.description = description ?? collection.description
      return collectionSummaryView(collection)
    },
  }),

  remove: commandsAbout("collection", collections.remove, {
    weight: 1,
    data({ model, account, collection }) {
      endKeys(model, collection.environments.values())
      account.collections.delete(collection.id)
      account.trash.push({ entry: collection, by: account.username })
    },
  }),
}

/** The answer has no ids of environments and items, so they are learned by reading the copy, which is then compared. */
function learnCopy(
  model: Model,
  { source, copy, what }: { source: ModelCollection; copy: ModelCollection; what: "values" | "names" },
  seen: Collection,
): void {
  const copies = new Map<ModelEnvironment, ModelEnvironment>()
  for (const [index, original] of byId(source.environments.values()).entries()) {
    const id = learnId(model, "environment", seen.subCollections[index]?.id)
    const environment = newEnvironment({ id, name: original.name, revision: 1 })
    environment.isProtected = original.isProtected
    copy.environments.set(id, environment)
    copies.set(original, environment)
  }
  for (const original of [...copies.keys()].sort((one, other) => levelsAbove(one) - levelsAbove(other))) {
    const environment = copies.get(original) as ModelEnvironment
    const base = original.base === null ? undefined : copies.get(original.base)
    if (base !== undefined) setBase(environment, base)
    const found = seen.subCollections.find((one) => one.id === environment.id)?.collectionItems ?? []
    const ids = new Map(found.map((item) => [item.name, item.id]))
    const copied = [...original.items.values()].map(({ name, value }) => ({
      id: learnId(model, "item", ids.get(name)),
      name,
      value: what === "names" ? "" : value,
      revision: 0,
    }))
    changeItems(environment, () => {
      for (const item of copied) environment.items.set(item.id, item)
    })
    if (copied.length === 0 && base !== undefined) nextRevision(environment)
  }
}
