import type { About, Product } from "@envkeep/contract"

// A simple store of plain Maps that follows the specification. Ids, keys and tokens are learned from the server's answers.

export interface ModelItem {
  id: number
  name: string
  value: string
  /** The environment's revision that wrote it last. */
  revision: number
}

export interface ModelKey {
  id: number
  name: string
  key: string
  /** Whether the key was ever used. Only then may it have a time of last use. */
  used: boolean
  note: string
  isDisabled: boolean
  /** What became of it when it was rolled. */
  rolled: { successorId: number; isExpired: boolean } | undefined
}

export const newKey = (key: Pick<ModelKey, "id" | "name" | "key">): ModelKey => ({
  ...key,
  used: false,
  note: "",
  isDisabled: false,
  rolled: undefined,
})

export const isUsable = ({ isDisabled, rolled }: ModelKey): boolean => !isDisabled && rolled?.isExpired !== true

export interface ModelEnvironment {
  id: number
  name: string
  revision: number
  isProtected: boolean
  /** The revision that renamed it last. */
  renamedAt?: number
  items: Map<number, ModelItem>
  keys: Map<number, ModelKey>
  /** The values by name that each revision left behind, in the order of the items' ids. */
  states: Map<number, State>
  /** The ids of the items in each of these states, in the same order. */
  idsIn: Map<number, readonly number[]>
  /** The names that each revision wrote or removed. */
  writes: Map<number, ReadonlySet<string>>
  base: ModelEnvironment | null
  /** What inherits from it directly, without what is in the trash. */
  heirs: Set<ModelEnvironment>
  /** What each revision inherited from. */
  bases: Map<number, { base: ModelEnvironment; revision: number }>
  /** The revisions that changed only what it inherits. */
  inheritedAt: Set<number>
  /** The revision that changed its base last. */
  rebasedAt?: number
  isPurged?: boolean
  /** What superseded values take of the quota. */
  historyBytes: number
}

/** An erased value is null. */
export type State = ReadonlyMap<string, string | null>

export interface ModelCollection {
  id: number
  name: string
  description: string
  environments: Map<number, ModelEnvironment>
  /** What is known about names. */
  described: Map<string, About>
  trash: Trashed<ModelEnvironment>[]
}

export const newCollection = (fields: Pick<ModelCollection, "id" | "name" | "description">): ModelCollection => ({
  ...fields,
  environments: new Map(),
  described: new Map(),
  trash: [],
})

/** What was deleted, and the username of the one who did it. */
export interface Trashed<Entry> {
  entry: Entry
  by: string
}

export interface Account {
  id: number
  username: string
  email: string
  password: string
  isAdmin: boolean
  collections: Map<number, ModelCollection>
  trash: Trashed<ModelCollection>[]
  /** By name, in the order in which they were made. */
  tokens: Map<string, ModelToken>
}

export const newAccount = (fields: Omit<Account, "collections" | "trash" | "tokens">): Account => ({
  ...fields,
  collections: new Map(),
  trash: [],
  tokens: new Map(),
})

export interface ModelToken {
  id: number
  name: string
  scope: string
  days: number | undefined
}

/** A browser with the session cookie that it received last. */
export interface Browser {
  token: string | undefined
}

export type Kind = "collection" | "environment" | "item" | "key" | "account" | "product" | "token"

export interface Model {
  accounts: Map<number, Account>
  /** Live sessions: token -> account. */
  sessions: Map<string, number>
  endedSessions: string[]
  browsers: Browser[]
  products: Product[]
  /** Every id the server ever assigned, by kind. No id is assigned twice. */
  assignedIds: Record<Kind, Set<number>>
  deletedKeys: string[]
  /** The state that each ETag belongs to. */
  etags: Map<string, string>
  /** Wrong passwords and the like so far, by what is guessed, so that the commands stay below the limits on guessing. */
  guesses: Map<string, number>
  /** Put in front of e-mails, so that models that run at the same time do not use the same one. */
  emailPrefix: string
  /** Ids that belong to users of other models. */
  othersIds(kind: Kind): number[]
  /** Whether only this model changes the store. Then the counters are known too. */
  isOnlyWriter: boolean
}

export function emptyModel(emailPrefix = ""): Model {
  return {
    accounts: new Map(),
    sessions: new Map(),
    endedSessions: [],
    browsers: [],
    products: [],
    assignedIds: {
      collection: new Set(),
      environment: new Set(),
      item: new Set(),
      key: new Set(),
      account: new Set(),
      product: new Set(),
      token: new Set(),
    },
    deletedKeys: [],
    etags: new Map(),
    guesses: new Map(),
    emailPrefix,
    othersIds: () => [],
    isOnlyWriter: true,
  }
}

export function newEnvironment(fields: Pick<ModelEnvironment, "id" | "name" | "revision">): ModelEnvironment {
  const { revision } = fields
  return {
    ...fields,
    isProtected: false,
    items: new Map(),
    keys: new Map(),
    states: new Map([[revision, new Map()]]),
    idsIn: new Map([[revision, []]]),
    writes: new Map(),
    base: null,
    heirs: new Set(),
    bases: new Map(),
    inheritedAt: new Set(),
    historyBytes: 0,
  }
}

/** Of each sealed value: the version, the nonce and the tag. */
export const sealBytes = 1 + 12 + 16
/** What a superseded version takes of the quota, beside its sealed value and, so many times, its name. */
const versionBytes = 128
const versionNames = 3

/**
 * Changes items. If any of them is different afterwards, this is a new revision. `state` is needed if there are new items
 * whose ids are not known yet.
 */
export function changeItems(environment: ModelEnvironment, work: () => void, state?: State): void {
  const before = new Map(Array.from(environment.items.values(), (item) => [item.id, { ...item }]))
  work()
  const { items } = environment
  const isSame = (one: ModelItem, other: ModelItem | undefined) => one.name === other?.name && one.value === other.value
  const superseded = [...before.values()].filter((item) => !isSame(item, items.get(item.id)))
  const written = [...items.values()].filter((item) => !isSame(item, before.get(item.id)))
  const after = state ?? stateOf(items.values())
  if (superseded.length === 0 && written.length === 0 && after.size === before.size) return
  nextRevision(environment, after)
  const namesBefore = new Set(Array.from(before.values(), ({ name }) => name))
  const added = [...after.keys()].filter((name) => !namesBefore.has(name))
  const names = [...superseded, ...written].map(({ name }) => name)
  environment.writes.set(environment.revision, new Set([...names, ...added]))
  for (const item of written) item.revision = environment.revision
  for (const { name, value } of superseded) {
    environment.historyBytes +=
      versionBytes + versionNames * Buffer.byteLength(name) + sealBytes + Buffer.byteLength(value)
  }
  raiseHeirs(environment)
}

export function nextRevision(environment: ModelEnvironment, state?: State): void {
  environment.revision++
  setState(environment)
  if (state !== undefined) environment.states.set(environment.revision, new Map(state))
  const { base } = environment
  if (base !== null) environment.bases.set(environment.revision, { base, revision: base.revision })
}

/** A change of an environment's items or base is one of everything that inherits from it. */
export function raiseHeirs({ heirs }: ModelEnvironment): void {
  for (const heir of heirs) {
    nextRevision(heir)
    heir.inheritedAt.add(heir.revision)
    raiseHeirs(heir)
  }
}

/** What the current revision left behind. */
export function setState(environment: ModelEnvironment): void {
  const inOrder = [...environment.items.values()].sort((one, other) => one.id - other.id)
  environment.states.set(environment.revision, stateOf(inOrder))
  environment.idsIn.set(
    environment.revision,
    inOrder.map(({ id }) => id),
  )
}

export function stateOf(items: Iterable<ModelItem>): State {
  const inOrder = [...items].sort((one, other) => one.id - other.id)
  return new Map(inOrder.map(({ name, value }) => [name, value]))
}

/** Whether the environment itself has changed since a revision. */
export function hasChangedSince({ revision, inheritedAt }: ModelEnvironment, since: number): boolean {
  for (let number = since + 1; number <= revision; number++) if (!inheritedAt.has(number)) return true
  return false
}

/** What inherits from an environment, directly or not. */
export function allHeirs({ heirs }: ModelEnvironment): ModelEnvironment[] {
  return [...heirs].flatMap((heir) => [heir, ...allHeirs(heir)])
}

/** How many bases are above an environment, and how many levels of heirs below it. */
export const levelsAbove = ({ base }: ModelEnvironment): number => (base === null ? 0 : 1 + levelsAbove(base))
export const levelsBelow = ({ heirs }: ModelEnvironment): number =>
  Math.max(0, ...Array.from(heirs, (one) => 1 + levelsBelow(one)))

export interface EffectiveItem {
  id: number
  name: string
  /** Null if it was erased. */
  value: string | null
  /** The environment that sets it. */
  setIn: ModelEnvironment
  /** The revision of that one which wrote it. */
  writtenBy: number
}

export interface EffectiveState {
  items: Map<string, EffectiveItem>
  /** The environments whose items are in it, nearest first. */
  layers: ModelEnvironment[]
  /** Whether something that it inherited from was deleted forever. */
  isPruned: boolean
}

/** An environment at one of its revisions. */
interface Layer {
  base: ModelEnvironment
  revision: number
}

/** What readers got at a revision: nearest first, then in the order of ids. */
export function effectiveAt(environment: ModelEnvironment, revision: number): EffectiveState {
  const state: EffectiveState = { items: new Map(), layers: [], isPruned: false }
  let layer: Layer | undefined = { base: environment, revision }
  while (layer !== undefined) {
    const { base, revision }: Layer = layer
    if (base.isPurged) return { ...state, isPruned: true }
    state.layers.push(base)
    const ids = base.idsIn.get(revision) ?? []
    for (const [index, [name, value]] of [...(base.states.get(revision) ?? [])].entries()) {
      if (state.items.has(name)) continue
      const item = { id: ids[index] ?? 0, name, value, setIn: base, writtenBy: writtenBy(base, name, revision) }
      state.items.set(name, item)
    }
    layer = base.bases.get(revision)
  }
  return state
}

/** What readers of an environment get now. */
export function effectiveValues(environment: ModelEnvironment): Map<string, string> {
  const { items } = effectiveAt(environment, environment.revision)
  return new Map(Array.from(items.values(), ({ name, value }) => [name, value ?? ""]))
}

/** The revision that wrote a name last, up to a revision. */
export function writtenBy({ writes }: ModelEnvironment, name: string, revision: number): number {
  let last = 0
  for (const [number, names] of writes) if (number <= revision && names.has(name)) last = Math.max(last, number)
  return last
}

/** Makes the value that a revision wrote unreadable in every state that has it. */
export function eraseValue(environment: ModelEnvironment, name: string, revision: number): void {
  const value = environment.states.get(revision)?.get(name)
  environment.historyBytes -= sealBytes + Buffer.byteLength(value ?? "")
  for (const [number, state] of environment.states) {
    if (!state.has(name) || writtenBy(environment, name, number) !== revision) continue
    environment.states.set(number, new Map([...state].map(([one, was]) => [one, one === name ? null : was])))
  }
}

/** Records an id that the server has just assigned. It must be new. */
export function learnId(model: Model, kind: Kind, id: unknown): number {
  if (typeof id !== "number" || !Number.isSafeInteger(id) || id < 1) throw new Error(`not an id: ${String(id)}`)
  if (model.assignedIds[kind].has(id)) throw new Error(`the id ${id} was assigned to a second ${kind}`)
  model.assignedIds[kind].add(id)
  return id
}

export const environmentsOf = (account: Account | undefined) =>
  [...(account?.collections.values() ?? [])].flatMap((collection) =>
    [...collection.environments.values()].map((environment) => ({ collection, environment })),
  )

export const keysOf = (account: Account | undefined) =>
  environmentsOf(account).flatMap(({ collection, environment }) =>
    [...environment.keys.values()].map((key) => ({ collection, environment, key })),
  )

export const allKeys = (model: Model) => [...model.accounts.values()].flatMap(keysOf)

/** Ignores case and how accents are encoded. */
export const sameEmail = (one: string, other: string) => normalizedEmail(one) === normalizedEmail(other)
export const normalizedEmail = (email: string) => email.trim().normalize("NFC").toLowerCase()

export function accountOf(model: Model, email: string): Account | undefined {
  return [...model.accounts.values()].find((account) => sameEmail(account.email, email))
}

export function isLastAdmin(model: Model, { id, isAdmin }: Account): boolean {
  return isAdmin && ![...model.accounts.values()].some((one) => one.isAdmin && one.id !== id)
}

export const guessesOf = ({ guesses }: Model, what: string) => guesses.get(what) ?? 0
/** Counts what the server limits. */
export function countGuess(model: Model, what: string): void {
  model.guesses.set(what, guessesOf(model, what) + 1)
}

export function endSession(model: Model, token: string): void {
  if (model.sessions.delete(token)) model.endedSessions.push(token)
}

export function endKeys(model: Model, environments: Iterable<ModelEnvironment>): void {
  for (const { keys } of environments) for (const { key } of keys.values()) model.deletedKeys.push(key)
}

/** The keys of what was restored work again. */
export function reviveKeys(model: Model, environments: Iterable<ModelEnvironment>): void {
  const revived = new Set<string>()
  for (const { keys } of environments) for (const { key } of keys.values()) revived.add(key)
  model.deletedKeys = model.deletedKeys.filter((key) => !revived.has(key))
}

export function idsOf(account: Account, kind: Kind): number[] {
  const environments = environmentsOf(account).map(({ environment }) => environment)
  if (kind === "collection") return [...account.collections.keys()]
  if (kind === "environment") return environments.map(({ id }) => id)
  if (kind === "item") return environments.flatMap(({ items }) => [...items.keys()])
  if (kind === "key") return environments.flatMap(({ keys }) => [...keys.keys()])
  return []
}
