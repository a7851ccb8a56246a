import { collections } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, notFound, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { endKeys, learnId, type ModelCollection } from "../model/model.ts"
import { descriptionFaults, nameFaults } from "../model/text-rules.ts"
import { collectionSummaryView, collectionsView, collectionView } from "../model/views.ts"

const missing = notFound("Collection")
const picked = fc.record({ at: draw.picked })
const maybeDescribed = { name: draw.name, description: fc.option(draw.description, { nil: undefined, freq: 4 }) }

export const collectionsCommands = {
  list: commandsFor(collections.list, {
    draw: fc.constant({}),
    expected: ({ account }) => ({ data: () => collectionsView(account) }),
  }),

  get: commandsFor(collections.get, {
    draw: picked,
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "collection", at) }),
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      return collection ? { data: () => collectionView(collection) } : missing
    },
  }),

  live: commandsFor(collections.live, {
    weight: 1,
    draw: picked,
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "collection", at) }),
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
    request: (_, body) => ({ body }),
    expected: ({ model, account }, { name, description = "" }) =>
      unless([...nameFaults(name), ...descriptionFaults(description)], () => ({
        data(data) {
          const id = learnId(model, "collection", (data as ModelCollection).id)
          const collection = { id, name: name.trim(), description, environments: new Map(), trash: [] }
          account.collections.set(id, collection)
          return collectionSummaryView(collection)
        },
      })),
  }),

  update: commandsFor(collections.update, {
    draw: fc.record({ at: draw.picked, ...maybeDescribed }),
    request: ({ model, account }, { at, name, description }) => ({
      id: draw.resolve(model, account, "collection", at),
      body: { name, description },
    }),
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
    draw: picked,
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "collection", at) }),
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
