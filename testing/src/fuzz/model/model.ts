import type { Product } from "@envkeep/contract"

// A simple store: plain Maps, after the specification. Ids, keys and tokens are learnt from the server's answers.

export interface ModelItem {
  id: number
  name: string
  value: string
}

export interface ModelKey {
  id: number
  name: string
  key: string
  /** Whether anybody has read with it: only then may it say when. */
  used: boolean
}

export interface ModelEnvironment {
  id: number
  name: string
  revision: number
  items: Map<number, ModelItem>
  keys: Map<number, ModelKey>
}

export interface ModelCollection {
  id: number
  name: string
  description: string
  environments: Map<number, ModelEnvironment>
}

export interface Account {
  id: number
  username: string
  email: string
  password: string
  isAdmin: boolean
  collections: Map<number, ModelCollection>
}

/** A place to call from, with the cookie it was given last. */
export interface Browser {
  token: string | undefined
}

export type Kind = "collection" | "environment" | "item" | "key" | "account" | "product"

export interface Model {
  accounts: Map<number, Account>
  /** Live sessions: token -> account. */
  sessions: Map<string, number>
  endedSessions: string[]
  browsers: Browser[]
  products: Product[]
  /** Every id ever given, by kind: none is given twice. */
  given: Record<Kind, Set<number>>
  endedKeys: string[]
  /** What each ETag stood for. */
  etags: Map<string, string>
  /** Wrong passwords so far, by account: the limits on guessing have tests of their own. */
  guesses: Map<string, number>
  /** In front of e-mails, so that users who do not know of each other do not want the same one. */
  emailPrefix: string
  /** Ids of others' things that this model does not hold itself. */
  strangers(kind: Kind): number[]
  /** Whether nobody but this model changes the store, so that even the counters are known. */
  isAlone: boolean
}

export function emptyModel(emailPrefix = ""): Model {
  return {
    accounts: new Map(),
    sessions: new Map(),
    endedSessions: [],
    browsers: [],
    products: [],
    given: {
      collection: new Set(),
      environment: new Set(),
      item: new Set(),
      key: new Set(),
      account: new Set(),
      product: new Set(),
    },
    endedKeys: [],
    etags: new Map(),
    guesses: new Map(),
    emailPrefix,
    strangers: () => [],
    isAlone: true,
  }
}

/** Notes an id that the server has just given; it must never have been given before. */
export function learnId(model: Model, kind: Kind, id: unknown): number {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1) throw new Error(`no id: ${String(id)}`)
  if (model.given[kind].has(id)) throw new Error(`the id ${id} was given to a second ${kind}`)
  model.given[kind].add(id)
  return id
}

export const environmentsOf = (account: Account) =>
  [...account.collections.values()].flatMap((collection) =>
    [...collection.environments.values()].map((environment) => ({ collection, environment })),
  )

export const keysOf = (account: Account) =>
  environmentsOf(account).flatMap(({ collection, environment }) =>
    [...environment.keys.values()].map((key) => ({ collection, environment, key })),
  )

export const allKeys = (model: Model) => [...model.accounts.values()].flatMap(keysOf)

/** Without regard to case, and however its accents are written. */
export const sameEmail = (one: string, other: string) => folded(one) === folded(other)
export const folded = (email: string) => email.trim().normalize("NFC").toLowerCase()

export function accountOf(model: Model, email: string): Account | undefined {
  return [...model.accounts.values()].find((account) => sameEmail(account.email, email))
}

export function endSession(model: Model, token: string): void {
  if (model.sessions.delete(token)) model.endedSessions.push(token)
}

export function endKeys(model: Model, environments: Iterable<ModelEnvironment>): void {
  for (const { keys } of environments) for (const { key } of keys.values()) model.endedKeys.push(key)
}

export function idsOf(account: Account, kind: Kind): number[] {
  const environments = environmentsOf(account).map(({ environment }) => environment)
  if (kind === "collection") return [...account.collections.keys()]
  if (kind === "environment") return environments.map(({ id }) => id)
  if (kind === "item") return environments.flatMap(({ items }) => [...items.keys()])
  if (kind === "key") return environments.flatMap(({ keys }) => [...keys.keys()])
  return []
}
