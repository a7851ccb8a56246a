import { type OutputOf, trash } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { baseRefusal, setBase } from "../model/bases.ts"
import { type CallContext, commandsFor, notFound, refused } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import {
  type Account,
  type ModelCollection,
  type ModelEnvironment,
  nextRevision,
  reviveKeys,
  type Trashed,
} from "../model/model.ts"
import { trashedCollectionView, trashedEnvironmentView, whenChanged } from "../model/views.ts"

const missingCollection = notFound("Collection")
const missing = notFound("Environment")
const wrongName = refused(400, "This is not the name. Nothing was deleted")

/** Mostly one that is in the trash; otherwise any other id. */
const inTrash = fc.record({
  isInTrash: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  at: draw.picked,
})
const toPurge = fc.record({ isInTrash: fc.boolean(), at: draw.picked, isRightName: fc.boolean() })
const confirmed = fc.record({ at: draw.picked, isRightName: fc.boolean() })

interface Pick {
  isInTrash: boolean
  at: draw.Picked
}

const trashedEnvironmentsOf = (account: Account) =>
  [...account.collections.values()].flatMap((collection) =>
    collection.trash.map((trashed) => ({ collection, trashed })),
  )

function collectionAt({ model, account }: CallContext, { isInTrash, at }: Pick): number {
  const ids = account?.trash.map(({ entry }) => entry.id) ?? []
  return (isInTrash && ids[at.index % ids.length]) || draw.resolve(model, account, "collection", at)
}

function environmentAt({ model, account }: CallContext, { isInTrash, at }: Pick): number {
  const ids = account ? trashedEnvironmentsOf(account).map(({ trashed }) => trashed.entry.id) : []
  return (isInTrash && ids[at.index % ids.length]) || draw.resolve(model, account, "environment", at)
}

const findCollection = (account: Account | undefined, id: number | undefined) =>
  account?.trash.find(({ entry }) => entry.id === id)

const findEnvironment = (account: Account | undefined, id: number | undefined) =>
  account && trashedEnvironmentsOf(account).find(({ trashed }) => trashed.entry.id === id)

export const trashCommands = {
  listCollections: commandsFor(trash.listCollections, {
    weight: 2,
    expected: ({ account }) => ({ data: (data) => listView(data, account.trash, trashedCollectionView) }),
  }),

  restoreCollection: commandsFor(trash.restoreCollection, {
    weight: 3,
    draw: inTrash,
    request: (context, pick) => ({ id: collectionAt(context, pick) }),
    expected({ model, account }, _, { id }) {
      const trashed = findCollection(account, id)
      if (trashed === undefined) return missingCollection
      const collection = trashed.entry
      return {
        data() {
          take(account.trash, trashed)
          collection.name = freeName(collection.name, account.collections.values())
          account.collections.set(collection.id, collection)
          reviveKeys(model, collection.environments.values())
          return { id, name: collection.name }
        },
      }
    },
  }),

  purgeCollection: commandsFor(trash.purgeCollection, {
    weight: 1,
    draw: toPurge,
    request(context, { isRightName, ...pick }) {
      const id = collectionAt(context, pick)
      const name = findCollection(context.account, id)?.entry.name
      return { id, body: { name: isRightName && name !== undefined ? name : "another name" } }
    },
    expected({ account }, _, { id, body }) {
      const trashed = findCollection(account, id)
      if (trashed === undefined) return missingCollection
      if ((body as { name: string }).name !== trashed.entry.name) return wrongName
      return {
        data() {
          take(account.trash, trashed)
          return null
        },
      }
    },
  }),

  emptyCollections: commandsFor(trash.emptyCollections, {
    weight: 1,
    draw: fc.record({ isRightName: fc.boolean() }),
    request: ({ account }, { isRightName }) => ({
      body: { name: isRightName && account ? account.username : "another name" },
    }),
    expected({ account }, _, { body }) {
      if ((body as { name: string }).name !== account.username) return wrongName
      return {
        data() {
          account.trash.length = 0
          return null
        },
      }
    },
  }),

  listEnvironments: commandsFor(trash.listEnvironments, {
    weight: 2,
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      if (collection === undefined) return missingCollection
      return { data: (data) => listView(data, collection.trash, trashedEnvironmentView) }
    },
  }),

  restoreEnvironment: commandsFor(trash.restoreEnvironment, {
    weight: 3,
    draw: inTrash,
    request: (context, pick) => ({ id: environmentAt(context, pick) }),
    expected({ model, account }, _, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      const { collection, trashed } = found
      const environment = trashed.entry
      return {
        data() {
          take(collection.trash, trashed)
          const name = freeName(environment.name, collection.environments.values())
          const hadBase = environment.bases.has(environment.revision)
          const { base } = environment
          const isUsable = base !== null && collection.environments.has(base.id)
          environment.base = null
          if (isUsable && baseRefusal(environment, base) === undefined) setBase(environment, base)
          if (name !== environment.name || hadBase) nextRevision(environment)
          environment.name = name
          collection.environments.set(environment.id, environment)
          reviveKeys(model, [environment])
          return { id, name, collectionId: collection.id, isBaseLost: hadBase && environment.base === null }
        },
      }
    },
  }),

  purgeEnvironment: commandsFor(trash.purgeEnvironment, {
    weight: 1,
    draw: toPurge,
    request(context, { isRightName, ...pick }) {
      const id = environmentAt(context, pick)
      const name = findEnvironment(context.account, id)?.trashed.entry.name
      return { id, body: { name: isRightName && name !== undefined ? name : "another name" } }
    },
    expected({ account }, _, { id, body }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      const { collection, trashed } = found
      if ((body as { name: string }).name !== trashed.entry.name) return wrongName
      return {
        data() {
          take(collection.trash, trashed)
          trashed.entry.isPurged = true
          return null
        },
      }
    },
  }),

  emptyEnvironments: commandsFor(trash.emptyEnvironments, {
    weight: 1,
    draw: confirmed,
    request({ model, account }, { at, isRightName }) {
      const id = draw.resolve(model, account, "collection", at)
      const name = account?.collections.get(id)?.name
      return { id, body: { name: isRightName && name !== undefined ? name : "another name" } }
    },
    expected({ account }, _, { id = 0, body }) {
      const collection = account.collections.get(id)
      if (collection === undefined) return missingCollection
      if ((body as { name: string }).name !== collection.name) return wrongName
      return {
        data() {
          for (const { entry } of collection.trash) entry.isPurged = true
          collection.trash.length = 0
          return null
        },
      }
    },
  }),
}

/** Newest first. Those of the same millisecond come in the order of the answer. */
export function listView<Entry extends ModelCollection | ModelEnvironment>(
  data: unknown,
  trashed: readonly Trashed<Entry>[],
  view: (trashed: Trashed<Entry>) => object,
) {
  const { entries } = data as OutputOf<typeof trash.listEnvironments>
  const times = entries.map(({ deletedAt }) => deletedAt)
  expect(times).toEqual(times.toSorted().reverse())
  const position = new Map(entries.map(({ id }, index) => [id, index]))
  const inOrder = trashed.toSorted(
    (one, other) => (position.get(one.entry.id) ?? -1) - (position.get(other.entry.id) ?? -1),
  )
  return {
    entries: inOrder.map((one) => ({ ...view(one), deletedAt: whenChanged, expiresAt: whenChanged })),
    total: trashed.length,
    keptDays: 30,
  }
}

function take<Entry>(list: Entry[], entry: Entry): void {
  list.splice(list.indexOf(entry), 1)
}

function freeName(name: string, others: Iterable<{ name: string }>): string {
  const taken = new Set(Array.from(others, (one) => one.name))
  for (let number = 2, free = name; ; number++) {
    if (!taken.has(free)) return free
    const suffix = ` (${number})`
    free = `${[...name]
      .slice(0, 100 - suffix.length)
      .join("")
      .trimEnd()}${suffix}`
  }
}
