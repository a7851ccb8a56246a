import { trash } from "@envkeep/contract"
import fc from "fast-check"
import { baseRefusal, setBase } from "../model/bases.ts"
import { commandsAbout, commandsFor, refused } from "../model/command.ts"
import { field, type RequestContext } from "../model/field.ts"
import { nextRevision, reviveKeys } from "../model/model.ts"
import { trashedCollectionView, trashedEnvironmentView, trashView } from "../model/views.ts"

/** What is deleted forever must be named. */
const typedName = (nameOf: (context: RequestContext) => string | undefined) =>
  field({ draw: fc.boolean(), sent: (context, isRight) => (isRight && nameOf(context)) || "another name" })

const trashedName = typedName(({ trashed }) => trashed?.entry.name)

const unlessNamed = (typed: string, name: string) =>
  typed !== name && refused(400, "This is not the name. Nothing was deleted")

export const trashCommands = {
  listCollections: commandsFor(trash.listCollections, {
    weight: 2,
    data: ({ account }, data) => trashView(data, account.trash, trashedCollectionView),
  }),

  restoreCollection: commandsAbout("trashed collection", trash.restoreCollection, {
    weight: 3,
    data({ model, account, trashed }) {
      const collection = trashed.entry
      take(account.trash, trashed)
      collection.name = freeName(collection.name, account.collections.values())
      account.collections.set(collection.id, collection)
      reviveKeys(model, collection.environments.values())
      return { id: collection.id, name: collection.name }
    },
  }),

  purgeCollection: commandsAbout("trashed collection", trash.purgeCollection, {
    weight: 1,
    fields: { name: trashedName },
    refusal: ({ trashed, input }) => unlessNamed(input.name, trashed.entry.name),
    data({ account, trashed }) {
      take(account.trash, trashed)
    },
  }),

  emptyCollections: commandsFor(trash.emptyCollections, {
    weight: 1,
    fields: { name: typedName(({ account }) => account?.username) },
    refusal: ({ account, input }) => unlessNamed(input.name, account.username),
    data({ account }) {
      account.trash.length = 0
    },
  }),

  listEnvironments: commandsAbout("collection", trash.listEnvironments, {
    weight: 2,
    data: ({ collection }, data) => trashView(data, collection.trash, trashedEnvironmentView),
  }),

  restoreEnvironment: commandsAbout("trashed environment", trash.restoreEnvironment, {
    weight: 3,
    data({ model, collection, trashed }) {
      const environment = trashed.entry
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
      const isBaseLost = hadBase && environment.base === null
      return { id: environment.id, name, collectionId: collection.id, isBaseLost }
    },
  }),

  purgeEnvironment: commandsAbout("trashed environment", trash.purgeEnvironment, {
    weight: 1,
    fields: { name: trashedName },
    refusal: ({ trashed, input }) => unlessNamed(input.name, trashed.entry.name),
    data({ collection, trashed }) {
      take(collection.trash, trashed)
      trashed.entry.isPurged = true
    },
  }),

  emptyEnvironments: commandsAbout("collection", trash.emptyEnvironments, {
    weight: 1,
    fields: { name: typedName(({ collection }) => collection?.name) },
    refusal: ({ collection, input }) => unlessNamed(input.name, collection.name),
    data({ collection }) {
      for (const { entry } of collection.trash) entry.isPurged = true
      collection.trash.length = 0
    },
  }),
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
