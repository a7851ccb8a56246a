import fc from "fast-check"
import { idOf, picked, resolve, unknownId } from "./draw.ts"
import { type CallContext, type Field, field } from "./field.ts"
import {
  type Account,
  environmentsOf,
  keysOf,
  type ModelCollection,
  type ModelEnvironment,
  type ModelItem,
  type ModelKey,
  type ModelToken,
  type Trashed,
} from "./model.ts"

// What a call can be about.

export interface Subjects {
  collection: { collection: ModelCollection }
  environment: { collection: ModelCollection; environment: ModelEnvironment }
  item: { collection: ModelCollection; environment: ModelEnvironment; item: ModelItem }
  key: { collection: ModelCollection; environment: ModelEnvironment; key: ModelKey }
  "trashed collection": { trashed: Trashed<ModelCollection> }
  "trashed environment": { collection: ModelCollection; trashed: Trashed<ModelEnvironment> }
  token: { token: ModelToken }
  /** One of all accounts, which an administrator's call is about. */
  account: { target: Account }
}
export type SubjectKind = keyof Subjects

interface Subject<Kind extends SubjectKind> {
  /** As a refusal calls it. */
  word: string
  id: Field<unknown, number>
  /** Undefined if the caller does not have it. */
  find(context: CallContext, id: number): Subjects[Kind] | undefined
}

const trashedEnvironmentsOf = (account: Account | undefined) =>
  [...(account?.collections.values() ?? [])].flatMap((collection) =>
    collection.trash.map((trashed) => ({ collection, trashed })),
  )

/** Mostly one that is in the trash; otherwise any other id. */
const trashedId = (kind: "collection" | "environment", idsOf: (account: Account | undefined) => number[]) =>
  field({
    draw: fc.record({
      isInTrash: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
      at: picked,
    }),
    sent({ model, account }, { isInTrash, at }) {
      const ids = idsOf(account)
      return (isInTrash && ids[at.index % ids.length]) || resolve(model, account, kind, at)
    },
  })

export const subjects: { [Kind in SubjectKind]: Subject<Kind> } = {
  collection: {
    word: "Collection",
    id: idOf("collection"),
    find({ account }, id) {
      const collection = account?.collections.get(id)
      return collection && { collection }
    },
  },
  environment: {
    word: "Environment",
    id: idOf("environment"),
    find: ({ account }, id) => environmentsOf(account).find(({ environment }) => environment.id === id),
  },
  item: {
    word: "Item",
    id: idOf("item"),
    find({ account }, id) {
      const place = environmentsOf(account).find(({ environment }) => environment.items.has(id))
      const item = place?.environment.items.get(id)
      return place && item && { ...place, item }
    },
  },
  key: {
    word: "API Key",
    id: idOf("key"),
    find: ({ account }, id) => keysOf(account).find(({ key }) => key.id === id),
  },
  "trashed collection": {
    word: "Collection",
    id: trashedId("collection", (account) => account?.trash.map(({ entry }) => entry.id) ?? []),
    find({ account }, id) {
      const trashed = account?.trash.find(({ entry }) => entry.id === id)
      return trashed && { trashed }
    },
  },
  "trashed environment": {
    word: "Environment",
    id: trashedId("environment", (account) => trashedEnvironmentsOf(account).map(({ trashed }) => trashed.entry.id)),
    find: ({ account }, id) => trashedEnvironmentsOf(account).find(({ trashed }) => trashed.entry.id === id),
  },
  token: {
    word: "Token",
    id: field({
      draw: fc.nat(3),
      sent: ({ account }, index) => [...(account?.tokens.values() ?? [])][index]?.id ?? unknownId,
    }),
    find({ account }, id) {
      const token = [...(account?.tokens.values() ?? [])].find((one) => one.id === id)
      return token && { token }
    },
  },
  account: {
    word: "User",
    id: field({
      draw: fc.nat(20),
      sent: ({ model }, at) => [...model.accounts.keys()][at % (model.accounts.size + 1)] ?? unknownId,
    }),
    find({ model }, id) {
      const target = model.accounts.get(id)
      return target && { target }
    },
  },
}
