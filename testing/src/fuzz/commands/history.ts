import { type Environment, history, type OutputOf } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { type CallContext, commandsFor, type Expected, expectSame, notFound, refused } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import {
  changeItems,
  type EffectiveItem,
  type EffectiveState,
  effectiveAt,
  eraseValue,
  learnId,
  type ModelEnvironment,
  type ModelItem,
  type State,
  setState,
  writtenBy,
} from "../model/model.ts"
import { summaryView, withInheritedView } from "../model/views.ts"
import { findEnvironment } from "./environments.ts"

const missing = notFound("Environment")
const noRevision = notFound("Revision")
const notInRevision = refused(404, "The item did not exist in this revision")
const erased = refused(410, "A value of this revision was erased and cannot be restored")
const isCurrent = refused(409, "This is the current value. Change or delete it first")
const badRevision = refused(400, "A revision must be a whole number from 1 to 9007199254740991")

const environmentAt = ({ model, account }: CallContext, at: draw.Picked) =>
  draw.resolve(model, account, "environment", at)

/** How many revisions ago; a negative one is still to come. */
const ago = fc.integer({ min: -1, max: 8 })
const itemName = fc.constantFrom("A", "B", "C", "a", "PATH", "__proto__")
const past = fc.record({ at: draw.picked, ago })

function revisionOf(context: CallContext, id: number, back: number): number {
  const { revision = 1 } = (context.account && findEnvironment(context.account, id)?.environment) ?? {}
  return revision - back
}

/** The environment and what it held at a revision, or what the call is refused with. */
function pastOf(
  { account }: CallContext,
  id: number | undefined,
  revision: number,
): { environment: ModelEnvironment; collectionId: number; state: State } | Expected {
  if (revision < 1) return badRevision
  const found = account && findEnvironment(account, id)
  if (found === undefined) return missing
  const state = found.environment.states.get(revision)
  if (state === undefined) return noRevision
  return { environment: found.environment, collectionId: found.collection.id, state }
}

const pastItems = (environment: ModelEnvironment, { items }: EffectiveState) =>
  Array.from(items.values(), ({ name, value, setIn }) => ({
    state: value === null ? "erased" : "set",
    value,
    name,
    inheritedFrom: setIn === environment ? undefined : setIn.id,
  })).sort(byName)

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

export const historyCommands = {
  list: commandsFor(history.list, {
    expected({ account }, _, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      return {
        data(data) {
          const { revisions, isWhole } = data as OutputOf<typeof history.list>
          const numbers = [...found.environment.states.keys()].toReversed()
          expect(revisions.map(({ number }) => number)).toEqual(numbers.slice(0, 50))
          expect(isWhole).toBe(numbers.length <= 50)
          return data
        },
      }
    },
  }),

  get: commandsFor(history.get, {
    weight: 6,
    draw: past,
    request(context, { at, ago }) {
      const id = environmentAt(context, at)
      return { id, revision: revisionOf(context, id, ago) }
    },
    expected(context, _, { id, revision = 0 }) {
      const found = pastOf(context, id, revision)
      if (!("state" in found)) return found
      return {
        data(data) {
          const { revision: row, items, isInheritedPruned } = data as OutputOf<typeof history.get>
          expect(row.number).toBe(revision)
          const state = effectiveAt(found.environment, revision)
          const seen = items.map(({ state, value, name, inheritedFrom }) => ({ state, value, name, inheritedFrom }))
          expectSame(seen.toSorted(byName), pastItems(found.environment, state))
          expect(isInheritedPruned).toBe(state.isPruned)
          return data
        },
      }
    },
  }),

  changes: commandsFor(history.changes, {
    draw: fc.record({ at: draw.picked, ago, since: fc.option(ago) }),
    request(context, { at, ago, since }) {
      const id = environmentAt(context, at)
      const query = since === null ? "" : `?since=${revisionOf(context, id, since)}`
      return { id, revision: revisionOf(context, id, ago), query }
    },
    expected(context, _, { id, revision = 0, query = "" }) {
      const since = query === "" ? revision - 1 : Number(query.slice("?since=".length))
      if (query !== "" && since < 1) return badRevision
      const later = pastOf(context, id, Math.max(revision, since))
      if (revision < 1) return badRevision
      if (!("state" in later)) return later
      return {
        data(data) {
          const { changes, isInheritedPruned } = data as OutputOf<typeof history.changes>
          const { environment } = later
          const states = [Math.min(revision, since), Math.max(revision, since)].map((at) =>
            effectiveAt(environment, at),
          )
          const isPruned = states.some((state) => state.isPruned)
          expect(isInheritedPruned).toBe(isPruned)
          // Without what is no longer kept, only the environment's own items can be compared.
          const [before, after] = states.map(({ items }) =>
            isPruned ? new Map([...items].filter(([, { setIn }]) => setIn === environment)) : items,
          ) as [EffectiveState["items"], EffectiveState["items"]]
          const names = [...new Set([...before.keys(), ...after.keys()])]
          const differing = names.filter((name) => isDifferent(before.get(name), after.get(name)))
          const values = changes.map(({ name, before, after }) => ({ name, before: before.value, after: after.value }))
          const expected = differing.map((name) => ({
            name,
            before: before.get(name)?.value ?? null,
            after: after.get(name)?.value ?? null,
          }))
          expectSame(values.toSorted(byName), expected.toSorted(byName))
          return data
        },
      }
    },
  }),

  ofItem: commandsFor(history.ofItem, {
    draw: fc.record({ at: draw.picked, name: itemName }),
    expected({ account }, { name }, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      return {
        data(data) {
          const { versions } = data as OutputOf<typeof history.ofItem>
          for (const { revision, value } of versions) {
            expect(value).toBe(found.environment.states.get(revision)?.get(name) ?? null)
          }
          return data
        },
      }
    },
  }),

  ofName: commandsFor(history.ofName, {
    draw: fc.record({ at: draw.picked, name: itemName }),
    expected({ account }, { name }, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      return {
        data(data) {
          const { changes } = data as OutputOf<typeof history.ofName>
          for (const { revision, isRemoved } of changes) {
            expect(isRemoved).toBe(!found.environment.states.get(revision)?.has(name))
          }
          return data
        },
      }
    },
  }),

  restore: commandsFor(history.restore, {
    weight: 3,
    draw: past,
    request(context, { at, ago }) {
      const id = environmentAt(context, at)
      return { id, body: { revision: revisionOf(context, id, ago) } }
    },
    expected(context, _, { id, body }) {
      const { revision } = body as { revision: number }
      const found = pastOf(context, id, revision)
      if (!("state" in found)) return found
      const state = unerased(found.state)
      if (state === undefined) return erased
      return restored(context, found, state)
    },
  }),

  restoreItem: commandsFor(history.restoreItem, {
    weight: 3,
    draw: fc.record({ at: draw.picked, ago, name: itemName }),
    request(context, { at, ago, name }) {
      const id = environmentAt(context, at)
      return { id, body: { name, revision: revisionOf(context, id, ago) } }
    },
    expected(context, _, { id, body }) {
      const { name, revision } = body as { name: string; revision: number }
      const found = pastOf(context, id, revision)
      if (!("state" in found)) return found
      const value = found.state.get(name)
      if (value === undefined) return notInRevision
      if (value === null) return erased
      const current = new Map(Array.from(found.environment.items.values(), (item) => [item.name, item.value]))
      const state = new Map([...current, [name, value]])
      return restored(context, found, state)
    },
  }),

  erase: commandsFor(history.erase, {
    weight: 3,
    draw: fc.record({ at: draw.picked, ago, name: itemName, isWritten: fc.boolean() }),
    request(context, { at, ago, name, isWritten }) {
      const id = environmentAt(context, at)
      const { environment } = (context.account && findEnvironment(context.account, id)) ?? {}
      const revision = revisionOf(context, id, ago)
      // One that wrote the name, which would hardly be drawn by chance.
      const written = environment && isWritten ? writtenBy(environment, name, revision) : 0
      return { id, body: { name, revision: written || revision } }
    },
    expected(context, _, { id, body }) {
      const { name, revision } = body as { name: string; revision: number }
      const found = pastOf(context, id, revision)
      if (!("state" in found)) return found
      const { environment, state } = found
      const value = state.get(name)
      if (writtenBy(environment, name, revision) !== revision || value === undefined || value === null) {
        return notFound("Item")
      }
      if (writtenBy(environment, name, environment.revision) === revision) return isCurrent
      return {
        data() {
          eraseValue(environment, name, revision)
          return null
        },
      }
    },
  }),
}

function isDifferent(before: EffectiveItem | undefined, after: EffectiveItem | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after
  if (before.setIn === after.setIn && before.writtenBy === after.writtenBy) return false
  return before.value === null || after.value === null || before.value !== after.value
}

/** Undefined if a value was erased. */
function unerased(state: State): Map<string, string> | undefined {
  const values = new Map<string, string>()
  for (const [name, value] of state) {
    if (value === null) return undefined
    values.set(name, value)
  }
  return values
}

/** The environment holds exactly this afterwards. */
function restored(
  { model }: CallContext,
  { environment, collectionId }: { environment: ModelEnvironment; collectionId: number },
  state: Map<string, string>,
): Expected {
  return {
    data() {
      restore(environment, state)
      return { ...summaryView(collectionId, environment), itemCount: state.size }
    },
    after: async (read) => {
      const seen = (await read(`/subcollection/${environment.id}`)) as Environment
      learnRestored(environment, state, seen, (itemId) => learnId(model, "item", itemId))
      expectSame(seen, withInheritedView(collectionId, environment))
    },
  }
}

/** Same names keep their ids, and the others are deleted. New names get their ids from `learnRestored`. */
function restore(environment: ModelEnvironment, state: Map<string, string>): void {
  changeItems(
    environment,
    () => {
      for (const item of environment.items.values()) {
        const value = state.get(item.name)
        if (value === undefined) environment.items.delete(item.id)
        else item.value = value
      }
    },
    state,
  )
}

function learnRestored(
  environment: ModelEnvironment,
  state: Map<string, string>,
  seen: Environment,
  learn: (id: number) => number,
): void {
  const known = new Set(Array.from(environment.items.values(), ({ name }) => name))
  for (const { id, name } of seen.collectionItems) {
    const value = state.get(name)
    if (known.has(name) || value === undefined) continue
    const item: ModelItem = { id: learn(id), name, value, revision: environment.revision }
    environment.items.set(id, item)
  }
  setState(environment)
}
