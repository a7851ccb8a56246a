import { type Collection, collections } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { setBase } from "../model/bases.ts"
import { commandsFor, expectSame, notFound, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import {
  changeItems,
  endKeys,
  learnId,
  levelsAbove,
  type Model,
  type ModelCollection,
  type ModelEnvironment,
  newEnvironment,
  nextRevision,
} from "../model/model.ts"
import { descriptionFaults, nameFaults } from "../model/text-rules.ts"
import { byId, collectionSummaryView, collectionsView, collectionView } from "../model/views.ts"

const missing = notFound("Collection")
const maybeDescribed = { name: draw.name, description: fc.option(draw.description, { nil: undefined, freq: 4 }) }

export const collectionsCommands = {
  list: commandsFor(collections.list, {
    expected: ({ account }) => ({ data: () => collectionsView(account) }),
  }),

  get: commandsFor(collections.get, {
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      return collection ? { data: () => collectionView(collection) } : missing
    },
  }),

  live: commandsFor(collections.live, {
    weight: 1,
    expected({ account }, _, { id = 0 }) {
      if (!account.collections.has(id)) return missing
      return {
        // What the stream says later is tested elsewhere.
        data: (_, { headers }) => expect(headers["content-type"]).toBe("text/event-stream; charset=utf-8"),
      }
    },
  }),

  create: commandsFor(collections.create, {
    draw: fc.record(maybeDescribed),
    expected: ({ model, account }, { name, description = "" }) =>
      unless([...nameFaults(name), ...descriptionFaults(description)], () => ({
        data(data) {
          const id = learnId(model, "collection", (data as ModelCollection).id)
          const collection = {
            id,
            name: name.trim(),
            description,
            environments: new Map(),
            described: new Map(),
            trash: [],
          }
          account.collections.set(id, collection)
          return collectionSummaryView(collection)
        },
      })),
  }),

  duplicate: commandsFor(collections.duplicate, {
    weight: 2,
    draw: fc.record({ at: draw.picked, name: draw.name, what: fc.constantFrom("values" as const, "names" as const) }),
    expected: ({ model, account }, { name, what }, { id = 0 }) =>
      unless(nameFaults(name), () => {
        const source = account.collections.get(id)
        if (source === undefined) return missing
        const copy: ModelCollection = {
          id: 0,
          name: name.trim(),
          description: source.description,
          environments: new Map(),
          described: new Map(source.described),
          trash: [],
        }
        return {
          data(data) {
            copy.id = learnId(model, "collection", (data as ModelCollection).id)
            account.collections.set(copy.id, copy)
            return { id: copy.id, name: copy.name, hidden: 0, damaged: 0 }
          },
          after: async (read) => {
            learnCopy(model, { source, copy, what }, (await read(`/collection/${copy.id}`)) as Collection)
            expectSame(await read(`/collection/${copy.id}`), collectionView(copy))
          },
        }
      }),
  }),

  update: commandsFor(collections.update, {
    draw: fc.record({ at: draw.picked, ...maybeDescribed }),
    expected: ({ account }, { name, description }, { id = 0 }) =>
      unless([...nameFaults(name), ...descriptionFaults(description ?? "")], () => {
        const collection = account.collections.get(id)
        if (collection === undefined) return missing
        return {
          data() {
            collection.name = name.trim()
            collection.description = description ?? collection.description
            return collectionSummaryView(collection)
          },
        }
      }),
  }),

  remove: commandsFor(collections.remove, {
    weight: 1,
    expected({ model, account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      if (collection === undefined) return missing
      return {
        data() {
          endKeys(model, collection.environments.values())
          account.collections.delete(id)
          account.trash.push({ entry: collection, by: account.username })
          return null
        },
      }
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
