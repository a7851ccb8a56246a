import {
  type ApiKey,
  activity,
  apiKeys,
  type Collection,
  type CollectionSummary,
  collections,
  type Environment,
  environments,
  find,
  history,
  invitations,
  items,
  type ListedApiKey,
  members,
  type OutputOf,
  trash,
} from "@envkeep/contract"
import { notFound, refused } from "../model/command.ts"
import { environmentView, may, type PeopleModel, type Person, roleIn, type SharedEnvironment } from "./people-model.ts"
import { byAnyone, inCollection, inEnvironment, type Step } from "./step.ts"

// The calls about what people share. Every answer is searched for values and keys that its reader may not see, so most of
// them are not compared here.

const anything = { data: (data: unknown) => data }

/** Only the collections that the caller is in. */
function listOf(model: PeopleModel, by: Person, seen: CollectionSummary[]) {
  const own = model.collections.filter((collection) => roleIn(model, collection, by) !== undefined)
  return own.map((collection, index) => ({
    ...seen[index],
    id: collection.id,
    role: roleIn(model, collection, by),
  }))
}

function keysOf(model: PeopleModel, by: Person, seen: ListedApiKey[]) {
  const places = model.collections.flatMap((collection) =>
    collection.environments.map((environment) => ({ collection, environment })),
  )
  return places
    .filter((place) => may(model, by, "change", place))
    .flatMap(({ environment }) => [...environment.keys])
    .sort(([one], [other]) => one - other)
    .map(([id, { key }], index) => ({ ...seen[index], id, key }))
}

/** The item has this value from now on. */
function write(environment: SharedEnvironment, value: string): void {
  environment.revision++
  environment.item.value = value
  environment.values.push(value)
}

const written = (environment: SharedEnvironment, value: string) => ({
  data(data: unknown) {
    write(environment, value)
    return data
  },
})

/** They show by themselves who may read and write what. After each sequence, everyone tries them everywhere. */
export const tellingSteps: Step[] = [
  inEnvironment(environments.get, "names", ({ model, by, collection, environment }) => ({
    expected: { data: (data) => environmentView(model, by, { collection, environment }, data as Environment) },
  })),
  inEnvironment(history.get, "names", ({ model, by, collection, environment }) => ({
    ids: { revision: environment.revision },
    expected: {
      data(data) {
        const { revision } = data as OutputOf<typeof history.get>
        const { name, value } = environment.item
        const isVisible = may(model, by, "values", { collection, environment })
        const past = isVisible ? { state: "set", value } : { state: "hidden", value: null }
        return { revision, items: [{ ...past, name }], isInheritedPruned: false }
      },
    },
  })),
  byAnyone(apiKeys.list, ({ model, by }) => ({
    expected: { data: (data) => keysOf(model, by, data as ListedApiKey[]) },
  })),
  inEnvironment(
    items.update,
    "change",
    ({ environment, text }) => ({
      ids: { id: environment.item.id },
      body: { name: environment.item.name, value: text },
      expected: written(environment, text),
    }),
    "Item",
  ),
]

const reads = [
  inCollection(collections.get, "names", ({ model, by, collection }) => ({
    expected: {
      data(data) {
        const seen = data as Collection
        const subCollections = collection.environments.map((environment, index) =>
          environmentView(model, by, { collection, environment }, seen.subCollections[index] ?? {}),
        )
        return { ...seen, name: collection.name, role: roleIn(model, collection, by), subCollections }
      },
    },
  })),
  byAnyone(collections.list, ({ model, by }) => ({
    expected: { data: (data) => listOf(model, by, data as CollectionSummary[]) },
  })),
  // Each environment has one item, with this name.
  byAnyone(find.byName, ({ model, by }) => ({
    body: { text: "a" },
    expected: {
      data(data) {
        const found = data as OutputOf<typeof find.byName>
        const own = model.collections.filter((collection) => roleIn(model, collection, by) !== undefined)
        const total = own.reduce((sum, { environments }) => sum + environments.length, 0)
        return { ...found, variables: { ...found.variables, total } }
      },
    },
  })),
  inCollection(environments.listOfCollection, "names", ({ model, by, collection }) => ({
    expected: {
      data: (data) =>
        collection.environments.map((environment, index) =>
          environmentView(model, by, { collection, environment }, (data as Environment[])[index] ?? {}),
        ),
    },
  })),
  inEnvironment(history.list, "names", () => ({ expected: anything })),
  inEnvironment(history.changes, "names", ({ environment }) => ({
    ids: { revision: environment.revision },
    expected: anything,
  })),
  inEnvironment(history.ofItem, "names", ({ environment }) => ({
    query: `?name=${environment.item.name}`,
    expected: anything,
  })),
  inCollection(members.list, "names", ({ collection }) => ({
    expected: {
      data(data) {
        const { people, teams } = data as OutputOf<typeof members.list>
        return {
          people: byKey(collection.members).map(([userId, role], index) => ({
            ...people[index],
            ...{
              userId,
              role,
              isPayer: userId === collection.payerId,
              isAskedToPay: userId === collection.request?.person.id,
            },
          })),
          teams: byKey(collection.teams).map(([teamId, role]) => ({
            ...teams.find((team) => team.teamId === teamId),
            role,
          })),
        }
      },
    },
  })),
  inCollection(invitations.listOfCollection, "manage", () => ({ expected: anything })),
  inCollection(activity.ofCollection, "manage", () => ({ expected: anything })),
  inCollection(trash.listEnvironments, "manage", () => ({ expected: anything })),
]

const byKey = <Value>(map: Map<number, Value>) => [...map].sort(([one], [other]) => one - other)

const writes = [
  inEnvironment(items.saveMany, "change", ({ environment, text }) => ({
    body: [{ id: environment.item.id, name: environment.item.name, value: text }],
    expected: written(environment, text),
  })),
  inEnvironment(environments.saveAll, "change", ({ environment, text }) => ({
    body: [{ name: environment.item.name, value: text }],
    expected: written(environment, text),
  })),
  inEnvironment(apiKeys.create, "change", ({ environment, text }) => ({
    body: { name: text, subCollectionId: environment.id },
    expected: {
      data(data) {
        const { id, key } = data as ApiKey
        environment.keys.set(id, { name: text, key: String(key) })
        environment.keysEver.push(String(key))
        return data
      },
    },
  })),
  // To those who may not see a key, it does not exist.
  inEnvironment(
    apiKeys.remove,
    "names",
    ({ model, by, collection, environment }) => {
      const [id = 987_654_321] = environment.keys.keys()
      if (!environment.keys.has(id) || !may(model, by, "change", { collection, environment })) {
        return { ids: { id }, expected: notFound("API Key") }
      }
      const remove = () => {
        environment.keys.delete(id)
        return null
      }
      return { ids: { id }, expected: { data: remove } }
    },
    "API Key",
  ),
  inEnvironment(environments.rename, "manage", ({ environment }) => ({
    body: { name: environment.name },
    expected: anything,
  })),
  inCollection(collections.update, "manage", ({ collection }) => ({
    body: { name: collection.name },
    expected: anything,
  })),
  inCollection(environments.create, "manage", ({ collection }) => ({
    body: { name: collection.environments[0]?.name, collectionId: collection.id },
    expected: refused(409, "This collection already has an environment with that name"),
  })),
]

export const contentsSteps: Step[] = [...tellingSteps, ...reads, ...writes]
