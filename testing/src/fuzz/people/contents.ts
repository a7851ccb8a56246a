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
import { type Expected, notFound, refused } from "../model/command.ts"
import { unknownId } from "../model/draw.ts"
import { environmentView, may, type PeopleModel, type Person, roleIn, type SharedEnvironment } from "./people-model.ts"
import { byAnyone, type InEnvironment, inCollection, inEnvironment, type Step } from "./step.ts"

// The calls about what people share. Every answer is searched for values and keys that its reader may not see, so most of
// them are not compared here.

const anything = (): Expected => ({ data: (data) => data })

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

const written = ({ environment, text }: InEnvironment): Expected => ({
  data(data) {
    write(environment, text)
    return data
  },
})

const currentRevision = { more: ({ environment: { revision } }: InEnvironment) => ({ revision }) }

/** They show by themselves who may read and write what. After each sequence, everyone tries them everywhere. */
export const tellingSteps: Step[] = [
  inEnvironment(environments.get, "names", ({ model, by, collection, environment }) => ({
    data: (data) => environmentView(model, by, { collection, environment }, data as Environment),
  })),
  inEnvironment(
    history.get,
    "names",
    ({ model, by, collection, environment }) => ({
      data(data) {
        const { revision } = data as OutputOf<typeof history.get>
        const { name, value } = environment.item
        const isVisible = may(model, by, "values", { collection, environment })
        const past = isVisible ? { state: "set", value } : { state: "hidden", value: null }
        return { revision, items: [{ ...past, name }], isInheritedPruned: false }
      },
    }),
    currentRevision,
  ),
  byAnyone(apiKeys.list, ({ model, by }) => ({ data: (data) => keysOf(model, by, data as ListedApiKey[]) })),
  inEnvironment(items.update, "change", written, {
    what: "Item",
    more: ({ environment: { item }, text }) => ({ id: item.id, name: item.name, value: text }),
  }),
]

const reads = [
  inCollection(collections.get, "names", ({ model, by, collection }) => ({
    data(data) {
      const seen = data as Collection
      const subCollections = collection.environments.map((environment, index) =>
        environmentView(model, by, { collection, environment }, seen.subCollections[index] ?? {}),
      )
      return { ...seen, name: collection.name, role: roleIn(model, collection, by), subCollections }
    },
  })),
  byAnyone(collections.list, ({ model, by }) => ({ data: (data) => listOf(model, by, data as CollectionSummary[]) })),
  // Each environment has one item, with this name.
  byAnyone(
    find.byName,
    ({ model, by }) => ({
      data(data) {
        const found = data as OutputOf<typeof find.byName>
        const own = model.collections.filter((collection) => roleIn(model, collection, by) !== undefined)
        const total = own.reduce((sum, { environments }) => sum + environments.length, 0)
        return { ...found, variables: { ...found.variables, total } }
      },
    }),
    { text: "a" },
  ),
  inCollection(environments.listOfCollection, "names", ({ model, by, collection }) => ({
    data: (data) =>
      collection.environments.map((environment, index) =>
        environmentView(model, by, { collection, environment }, (data as Environment[])[index] ?? {}),
      ),
  })),
  inEnvironment(history.list, "names", anything),
  inEnvironment(history.changes, "names", anything, currentRevision),
  inEnvironment(history.ofItem, "names", anything, { more: ({ environment }) => ({ name: environment.item.name }) }),
  inCollection(members.list, "names", ({ collection }) => ({
    data(data) {
      const { people, teams } = data as OutputOf<typeof members.list>
      return {
        people: byKey(collection.members).map(([userId, role], index) => ({
          ...people[index],
          userId,
          role,
          isPayer: userId === collection.payerId,
          isAskedToPay: userId === collection.request?.person.id,
        })),
        teams: byKey(collection.teams).map(([teamId, role]) => ({
          ...teams.find((team) => team.teamId === teamId),
          role,
        })),
      }
    },
  })),
  inCollection(invitations.listOfCollection, "manage", anything),
  inCollection(activity.ofCollection, "manage", anything),
  inCollection(trash.listEnvironments, "manage", anything),
]

const byKey = <Value>(map: Map<number, Value>) => [...map].sort(([one], [other]) => one - other)

const firstKeyOf = ({ keys }: SharedEnvironment) => [...keys.keys()][0] ?? unknownId

const writes = [
  inEnvironment(items.saveMany, "change", written, {
    more: ({ environment: { item }, text }) => ({ items: [{ id: item.id, name: item.name, value: text }] }),
  }),
  inEnvironment(environments.saveAll, "change", written, {
    more: ({ environment: { item }, text }) => ({ items: [{ name: item.name, value: text }] }),
  }),
  inEnvironment(
    apiKeys.create,
    "change",
    ({ environment, text }) => ({
      data(data) {
        const { id, key } = data as ApiKey
        environment.keys.set(id, { name: text, key: String(key) })
        environment.keysEver.push(String(key))
        return data
      },
    }),
    { more: ({ environment, text }) => ({ name: text, subCollectionId: environment.id }) },
  ),
  // To those who may not see a key, it does not exist.
  inEnvironment(
    apiKeys.remove,
    "names",
    ({ model, by, collection, environment }) => {
      const id = firstKeyOf(environment)
      if (!environment.keys.has(id) || !may(model, by, "change", { collection, environment })) {
        return notFound("API Key")
      }
      return {
        data() {
          environment.keys.delete(id)
          return null
        },
      }
    },
    { what: "API Key", more: ({ environment }) => ({ id: firstKeyOf(environment) }) },
  ),
  inEnvironment(environments.rename, "manage", anything),
  inCollection(collections.update, "manage", anything),
  inCollection(
    environments.create,
    "manage",
    () => refused(409, "This collection already has an environment with that name"),
    ({ collection }) => ({ name: collection.environments[0]?.name, collectionId: collection.id }),
  ),
]

export const contentsSteps: Step[] = [...tellingSteps, ...reads, ...writes]
