import { hash } from "node:crypto"
import type { Level, LiveEnvironment, LiveState } from "@envkeep/contract"
import { eventBytes } from "../../http/event-stream.ts"
import type { LiveCollection } from "./store.ts"

// What screens were told is kept until the next change, to find out what is new. There may be thousands of screens on
// collections of a thousand environments, so it is small, and screens that were told the same share it.

export interface Told {
  /** A hash of everything that a list shows but the role. */
  list: string
  /** The id of each environment, followed by its revision, in the order of the ids: 16 bytes for each. */
  revisions: Float64Array
}

function toldOf({ list, environments }: LiveCollection): Told {
  const revisions = new Float64Array(environments.length * 2)
  for (const [at, { id, revision }] of environments.entries()) revisions.set([id, revision], at * 2)
  return { list: hash("sha256", list, "base64url").slice(0, 22), revisions }
}

function isSame(one: Told, other: Told): boolean {
  // The same list has the same environments.
  return one.list === other.list && one.revisions.every((value, at) => value === other.revisions[at])
}

export function hasOneOf(told: Told, environmentIds: readonly number[]): boolean {
  return environmentIds.some((id) => revisionIn(told, id) !== undefined)
}

function revisionIn({ revisions }: Told, environmentId: number): number | undefined {
  let [low, high] = [0, revisions.length / 2]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((revisions[middle * 2] ?? 0) < environmentId) low = middle + 1
    else high = middle
  }
  return revisions[low * 2] === environmentId ? revisions[low * 2 + 1] : undefined
}

/** What a screen knows. Undefined if it was told nothing yet. */
export interface Known {
  told: Told | undefined
  role: Level | undefined
}

export interface News {
  /** What a screen knows after it was sent the events. */
  told: Told
  eventsFor(known: Known, role: Level): Buffer[]
}

/** How a collection is now, for many screens: each event is made once. `known` is shared with those who know the same. */
export function createNews(collection: LiveCollection, known: Told | undefined): News {
  const now = toldOf(collection)
  const told = known !== undefined && isSame(known, now) ? known : now
  const states = new Map<string, Buffer>()
  const changes = new Map<Told, Buffer[]>()

  return {
    told,
    eventsFor({ told: before, role: roleBefore }, role) {
      if (before === undefined) return [stateEvent("state", role)]
      const isSameList = before.list === told.list && roleBefore === role
      return [...(isSameList ? [] : [stateEvent("list", role)]), ...changesSince(before)]
    },
  }

  function stateEvent(event: "state" | "list", role: Level): Buffer {
    const key = `${event} ${role}`
    const bytes = states.get(key) ?? eventBytes(event, stateFor(collection, role), told.list)
    states.set(key, bytes)
    return bytes
  }

  function changesSince(before: Told): Buffer[] {
    const events = changes.get(before) ?? changeEvents(collection, before)
    changes.set(before, events)
    return events
  }
}

function stateFor({ name, description, environments }: LiveCollection, role: Level): LiveState {
  const shown = environments.map(({ id, revision, isProtected }) => ({ id, revision, isProtected }))
  return { name, description, role, environments: shown }
}

function changeEvents({ environments }: LiveCollection, before: Told): Buffer[] {
  return environments.flatMap(({ id, revision, by, at }) => {
    const known = revisionIn(before, id)
    if (known === undefined || known === revision) return []
    return [eventBytes("environment", { id, revision, by, at } satisfies LiveEnvironment)]
  })
}
