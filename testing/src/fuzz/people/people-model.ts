import type { Level } from "@envkeep/contract"
import { type Expected, notFound, refused } from "../model/command.ts"

// Who is in which collection and team. Unlike in the other model, people share what they have, and what is in the
// environments is simple: one item each.

export interface Person {
  id: number
  email: string
  /** Of the session that they make their calls with. */
  token: string
}

export interface SharedEnvironment {
  id: number
  name: string
  isProtected: boolean
  revision: number
  item: { id: number; name: string; value: string }
  keys: Map<number, { name: string; key: string }>
  /** Every value and every key that it ever had. */
  values: string[]
  keysEver: string[]
}

export interface SharedCollection {
  id: number
  name: string
  /** The owner whose quota pays. */
  payerId: number
  /** The member who is asked to pay, and the owner who asks. */
  request: { person: Person; askedBy: Person } | undefined
  /** Roles of their own, in the order in which they were given. */
  members: Map<number, Level>
  teams: Map<number, Level>
  environments: SharedEnvironment[]
}

export interface SharedTeam {
  id: number
  /** Whether each member is an admin. */
  members: Map<number, boolean>
}

export interface ModelInvitation {
  id: number
  secret: string
  to: SharedCollection | SharedTeam
  /** In a collection. */
  role: Level | undefined
  by: Person
  usesLeft: number
  isRevoked: boolean
}

export interface PeopleModel {
  people: Person[]
  collections: SharedCollection[]
  teams: SharedTeam[]
  deletedTeams: SharedTeam[]
  invitations: ModelInvitation[]
  /** So that every value and every name is new. */
  written: number
}

const roles: readonly Level[] = ["viewer", "reader", "editor", "maintainer", "owner"]

export function isAtLeast(role: Level, other: Level): boolean {
  return roles.indexOf(role) >= roles.indexOf(other)
}

/** The columns of the table of roles. */
export type Need = "names" | "values" | "change" | "manage" | "own"

/** The table of roles, written independently of the contract: the weakest role that has what is needed. */
function weakestFor(need: Need, isProtected: boolean): Level {
  if (need === "names") return "viewer"
  if (need === "values") return isProtected ? "maintainer" : "reader"
  if (need === "change") return isProtected ? "maintainer" : "editor"
  return need === "manage" ? "maintainer" : "owner"
}

/** The strongest of their own role and those of their teams. */
export function roleIn(model: PeopleModel, collection: SharedCollection, { id }: Person): Level | undefined {
  const found = model.teams.flatMap((team) => (team.members.has(id) ? (collection.teams.get(team.id) ?? []) : []))
  const own = collection.members.get(id)
  return (own === undefined ? found : [...found, own]).sort((one, other) => (isAtLeast(one, other) ? -1 : 1))[0]
}

export interface Place {
  collection: SharedCollection
  /** If it is about one environment. */
  environment?: SharedEnvironment
}

export function may(model: PeopleModel, person: Person, need: Need, { collection, environment }: Place): boolean {
  const role = roleIn(model, collection, person)
  return role !== undefined && isAtLeast(role, weakestFor(need, environment?.isProtected ?? false))
}

/** A member who lacks the role is told so. For others there is no such collection, environment or item. */
export function refusalFor(
  model: PeopleModel,
  person: Person,
  { need, place, what }: { need: Need; place: Place; what: string },
): Expected | undefined {
  if (may(model, person, need, place)) return undefined
  if (!may(model, person, "names", place)) return notFound(what)
  return refused(403, "Your role in this collection does not allow this")
}

/** What no answer to this person may contain. */
export function hiddenFrom(model: PeopleModel, person: Person): string[] {
  const hidden: string[] = []
  for (const collection of model.collections) {
    for (const environment of collection.environments) {
      if (!may(model, person, "values", { collection, environment })) hidden.push(...environment.values)
      if (!may(model, person, "change", { collection, environment })) hidden.push(...environment.keysEver)
    }
  }
  return hidden
}

/** What a person sees of a collection's environments. */
export function environmentView(
  model: PeopleModel,
  person: Person,
  { collection, environment }: Required<Place>,
  seen: { apiKeys?: readonly { id: number }[] },
) {
  const { id, name, isProtected, revision, item, keys } = environment
  const seesValues = may(model, person, "values", { collection, environment })
  const seesKeys = may(model, person, "change", { collection, environment })
  return {
    ...seen,
    ...{ id, name, isProtected, revision, itemCount: 1, valuesHidden: !seesValues },
    collectionItems: [
      { id: item.id, name: item.name, value: seesValues ? item.value : null, subCollectionId: id, revision },
    ],
    apiKeys: seesKeys
      ? Array.from(keys, ([keyId, key]) => ({
          ...seen.apiKeys?.find((one) => one.id === keyId),
          ...{ id: keyId, ...key, subCollectionId: id, lastUsedAt: null },
        }))
      : [],
  }
}
