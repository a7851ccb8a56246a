import type { About, OutputOf, trash } from "@envkeep/contract"
import { expect } from "vitest"
import type { Account, Model, ModelCollection, ModelEnvironment, ModelKey, ModelToken, Trashed } from "./model.ts"
import { effectiveAt, environmentsOf, keysOf, sealBytes } from "./model.ts"

// The answers that the model expects. Times are left open: that of a key's last use is stored with a delay, and is null
// until then.

const whenChanged = { asymmetricMatch: isTime, toString: () => "a time" }
const whenUsed = {
  asymmetricMatch: (actual: unknown) => actual === null || isTime(actual),
  toString: () => "null or a time",
}
/** What the model does not know. */
const anything = { asymmetricMatch: () => true, toString: () => "anything" }

function isTime(actual: unknown): boolean {
  return !Number.isNaN(Date.parse(String(actual)))
}

export const userView = ({ id, username, email, isAdmin }: Account) => ({ id, username, email, isAdmin })

export const membersView = ({ id, username, email }: Account) => ({
  people: [{ userId: id, username, email, role: "owner", isPayer: true, isAskedToPay: false }],
  teams: [],
})

/** What is in the trash is stored too. */
export const storageView = (account: Account) => {
  const collections = [...account.collections.values(), ...account.trash.map(({ entry }) => entry)]
  const environments = collections.flatMap((one) => [
    ...one.environments.values(),
    ...one.trash.map(({ entry }) => entry),
  ])
  const values = environments.flatMap(({ items }) =>
    Array.from(
      items.values(),
      ({ name, value }) => Buffer.byteLength(value) + Math.max(0, Buffer.byteLength(name) - 256),
    ),
  )
  const keyCount = environments.reduce((sum, { keys }) => sum + keys.size, 0)
  const descriptions = collections.flatMap(({ described }) => [...described.values()].map(describedBytes))
  const rows = collections.length + environments.length + values.length + keyCount + descriptions.length
  const historyBytes = environments.reduce((sum, environment) => sum + environment.historyBytes, 0)
  const textBytes = descriptions.reduce((sum, bytes) => sum + bytes, 0)
  return {
    usedBytes: 512 * rows + historyBytes + textBytes + values.reduce((sum, bytes) => sum + bytes + sealBytes, 0),
    quotaBytes: 100_000_000,
  }
}

const describedBytes = ({ name, description, isRequired, isSecret, kind, choices, example }: About) =>
  Buffer.byteLength(JSON.stringify([name, description, isRequired, isSecret, kind, choices, example]))

export const tokenView = ({ id, name, scope, days }: ModelToken) => ({
  id,
  name,
  scope,
  collections: null,
  createdAt: whenChanged,
  expiresAt: days === undefined ? null : whenChanged,
  isExpired: false,
  lastUse: null,
})

export const summaryView = (
  collectionId: number,
  { id, name, revision, items, isProtected, base }: ModelEnvironment,
) => ({
  id,
  name,
  collectionId,
  revision,
  itemCount: items.size,
  isProtected,
  baseId: base?.id ?? null,
})

export const keyView = (subCollectionId: number, { id, name, key, used, ...life }: ModelKey) => ({
  id,
  name,
  key,
  subCollectionId,
  lastUsedAt: used ? whenUsed : null,
  lastUsedBy: used ? anything : null,
  lastUsedFrom: used ? anything : null,
  lastRefusedAt: whenUsed,
  createdAt: whenChanged,
  createdBy: anything,
  note: life.note,
  allowedAddresses: [],
  expiresAt: life.rolled === undefined ? null : whenChanged,
  isExpired: life.rolled?.isExpired ?? false,
  disabledAt: life.isDisabled ? whenChanged : null,
  replacedById: life.rolled?.successorId ?? null,
})

export const environmentView = (collectionId: number, environment: ModelEnvironment) => ({
  ...summaryView(collectionId, environment),
  valuesHidden: false,
  collectionItems: byId(environment.items.values()).map((item) => ({ ...item, subCollectionId: environment.id })),
  apiKeys: byId(environment.keys.values()).map((key) => keyView(environment.id, key)),
})

/** The same with what it inherits: nearest first, then by id. */
export const withInheritedView = (collectionId: number, environment: ModelEnvironment) => {
  const { items } = effectiveAt(environment, environment.revision)
  const inherited = [...items.values()].filter(({ setIn }) => setIn !== environment)
  return {
    ...environmentView(collectionId, environment),
    inherited: inherited.map(({ name, value, setIn }) => ({ name, value, environmentId: setIn.id })),
  }
}

const fieldsView = ({ id, name, description }: ModelCollection) => ({
  id,
  name,
  description,
  changedAt: whenChanged,
  role: "owner",
})

export const collectionSummaryView = (collection: ModelCollection) => ({
  ...fieldsView(collection),
  subCollections: byId(collection.environments.values()).map((one) => summaryView(collection.id, one)),
})

export const collectionView = (collection: ModelCollection) => ({
  ...fieldsView(collection),
  subCollections: wholeView(collection),
})

export const wholeView = (collection: ModelCollection) =>
  byId(collection.environments.values()).map((one) => environmentView(collection.id, one))

export const collectionsView = (account: Account) => byId(account.collections.values()).map(collectionSummaryView)

export const listedKeysView = (account: Account) =>
  keysOf(account)
    .map(({ collection, environment, key }) => ({
      ...keyView(environment.id, key),
      subCollectionName: environment.name,
      collectionName: collection.name,
    }))
    .sort((one, other) => one.id - other.id)

export const trashedEnvironmentView = ({ entry: { id, name, items }, by }: Trashed<ModelEnvironment>) => ({
  id,
  name,
  deletedBy: by,
  itemCount: items.size,
})

export const trashedCollectionView = ({ entry: { id, name, environments }, by }: Trashed<ModelCollection>) => ({
  id,
  name,
  deletedBy: by,
  environmentCount: environments.size,
  itemCount: itemCountOf(environments),
})

/** The trash, newest first. What was deleted in the same millisecond comes in the order of the answer. */
export function trashView<Entry extends ModelCollection | ModelEnvironment>(
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

export const itemCountOf = (environments: Map<number, ModelEnvironment>) =>
  [...environments.values()].reduce((sum, { items }) => sum + items.size, 0)

export function countersView(model: Model) {
  const accounts = [...model.accounts.values()]
  const environments = accounts.flatMap(environmentsOf)
  return {
    productsCount: model.products.length,
    usersCount: accounts.length,
    collectionsCount: accounts.reduce((sum, { collections }) => sum + collections.size, 0),
    environmentsCount: environments.length,
    itemsCount: environments.reduce((sum, { environment }) => sum + environment.items.size, 0),
    subscriptionsCount: 0,
  }
}

export function byId<Row extends { id: number }>(rows: Iterable<Row>): Row[] {
  return [...rows].sort((one, other) => one.id - other.id)
}
