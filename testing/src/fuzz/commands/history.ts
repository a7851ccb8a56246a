import { history } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsAbout, expectSame, notFound, refused } from "../model/command.ts"
import { pastRevision, revisionAgo, revisionFaults } from "../model/draw.ts"
import { field } from "../model/field.ts"
import { expectSaved } from "../model/lists.ts"
import {
  changeItems,
  type EffectiveItem,
  type EffectiveState,
  effectiveAt,
  eraseValue,
  type ModelEnvironment,
  type ModelItem,
  type State,
  writtenBy,
} from "../model/model.ts"
import { summaryView } from "../model/views.ts"

const noRevision = notFound("Revision")
const erased = refused(410, "A value of this revision was erased and cannot be restored")

const name = fc.constantFrom("A", "B", "C", "a", "PATH", "__proto__")

const stateAt = ({ states }: ModelEnvironment, revision: number) => states.get(revision) as State

const earlierRevision = field({
  draw: fc.option(pastRevision.draw),
  sent: (context, ago) => (ago === null ? undefined : revisionAgo(context, ago)),
  faults: revisionFaults,
})

/** Often one that wrote the name, which would hardly be drawn by chance. */
const writingRevision = field({
  draw: fc.record({ ago: pastRevision.draw, isWritten: fc.boolean() }),
  sent(context, { ago, isWritten }) {
    const { environment, input } = context
    const revision = revisionAgo(context, ago)
    return (environment && isWritten && writtenBy(environment, String(input["name"]), revision)) || revision
  },
  faults: revisionFaults,
})

const pastItems = (environment: ModelEnvironment, { items }: EffectiveState) =>
  Array.from(items.values(), ({ name, value, setIn }) => ({
    state: value === null ? "erased" : "set",
    value,
    name,
    inheritedFrom: setIn === environment ? undefined : setIn.id,
  })).sort(byName)

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

export const historyCommands = {
  list: commandsAbout("environment", history.list, {
    data({ environment }, data) {
      const numbers = [...environment.states.keys()].toReversed()
      expect(data.revisions.map(({ number }) => number)).toEqual(numbers.slice(0, 50))
      expect(data.isWhole).toBe(numbers.length <= 50)
      return data
    },
  }),

  get: commandsAbout("environment", history.get, {
    weight: 6,
    fields: { revision: pastRevision },
    refusal: ({ environment, input: { revision } }) => !environment.states.has(revision) && noRevision,
    data({ environment, input: { revision } }, data) {
      expect(data.revision.number).toBe(revision)
      const state = effectiveAt(environment, revision)
      const seen = data.items.map(({ state, value, name, inheritedFrom }) => ({ state, value, name, inheritedFrom }))
      expectSame(seen.toSorted(byName), pastItems(environment, state))
      expect(data.isInheritedPruned).toBe(state.isPruned)
      return data
    },
  }),

  changes: commandsAbout("environment", history.changes, {
    fields: {
      revision: pastRevision,
      since: earlierRevision,
    },
    refusal: ({ environment, input: { revision, since = revision - 1 } }) =>
      !environment.states.has(Math.max(revision, since)) && noRevision,
    data({ environment, input: { revision, since = revision - 1 } }, data) {
      const states = [Math.min(revision, since), Math.max(revision, since)].map((at) => effectiveAt(environment, at))
      const isPruned = states.some((state) => state.isPruned)
      expect(data.isInheritedPruned).toBe(isPruned)
      // Without what is no longer kept, only the environment's own items can be compared.
      const [before, after] = states.map(({ items }) =>
        isPruned ? new Map([...items].filter(([, { setIn }]) => setIn === environment)) : items,
      ) as [EffectiveState["items"], EffectiveState["items"]]
      const names = [...new Set([...before.keys(), ...after.keys()])]
      const differing = names.filter((name) => isDifferent(before.get(name), after.get(name)))
      const seen = data.changes.map(({ name, before, after }) => ({ name, before: before.value, after: after.value }))
      const expected = differing.map((name) => ({
        name,
        before: before.get(name)?.value ?? null,
        after: after.get(name)?.value ?? null,
      }))
      expectSame(seen.toSorted(byName), expected.toSorted(byName))
      return data
    },
  }),

  ofItem: commandsAbout("environment", history.ofItem, {
    fields: { name },
    data({ environment, input }, data) {
      for (const { revision, value } of data.versions) {
        expect(value).toBe(environment.states.get(revision)?.get(input.name) ?? null)
      }
      return data
    },
  }),

  ofName: commandsAbout("environment", history.ofName, {
    fields: { name },
    data({ environment, input }, data) {
      for (const { revision, isRemoved } of data.changes) {
        expect(isRemoved).toBe(!environment.states.get(revision)?.has(input.name))
      }
      return data
    },
  }),

  restore: commandsAbout("environment", history.restore, {
    weight: 3,
    fields: { revision: pastRevision },
    refusal({ environment, input: { revision } }) {
      const state = environment.states.get(revision)
      if (state === undefined) return noRevision
      return [...state.values()].includes(null) && erased
    },
    data({ collection, environment, input: { revision } }) {
      const { items } = environment
      const past = itemsAt(environment, revision).map((item) => ({ ...items.get(item.id), ...item }))
      changeItems(environment, () => {
        items.clear()
        for (const item of past) items.set(item.id, { revision: 0, ...item })
      })
      return summaryView(collection.id, environment)
    },
    after: ({ model, ...place }, read) => expectSaved(model, place, read),
  }),

  restoreItem: commandsAbout("environment", history.restoreItem, {
    weight: 3,
    fields: { name, revision: pastRevision },
    refusal({ environment, input: { name, revision } }) {
      const state = environment.states.get(revision)
      if (state === undefined) return noRevision
      if (!state.has(name)) return refused(404, "The item did not exist in this revision")
      return state.get(name) === null && erased
    },
    data({ collection, environment, input: { name, revision } }) {
      const { items } = environment
      const past = itemsAt(environment, revision).find((item) => item.name === name)
      if (past === undefined) throw new Error("a refusal was expected")
      const state = new Map([...stateAt(environment, environment.revision), [name, past.value]])
      const current = [...items.values()].find((item) => item.name === name)
      if (current !== undefined) changeItems(environment, () => Object.assign(current, { value: past.value }))
      else if (!items.has(past.id)) changeItems(environment, () => items.set(past.id, { ...past, revision: 0 }))
      // The item has another name now. The one that comes back gets an id that is learned later.
      else changeItems(environment, () => {}, state)
      return { ...summaryView(collection.id, environment), itemCount: state.size }
    },
    after: ({ model, ...place }, read) => expectSaved(model, place, read),
  }),

  erase: commandsAbout("environment", history.erase, {
    weight: 3,
    fields: { name, revision: writingRevision },
    refusal({ environment, input: { name, revision } }) {
      if (!environment.states.has(revision)) return noRevision
      const value = stateAt(environment, revision).get(name) ?? null
      if (writtenBy(environment, name, revision) !== revision || value === null) return notFound("Item")
      return (
        writtenBy(environment, name, environment.revision) === revision &&
        refused(409, "This is the current value. Change or delete it first")
      )
    },
    data({ environment, input: { name, revision } }) {
      eraseValue(environment, name, revision)
    },
  }),
}

function isDifferent(before: EffectiveItem | undefined, after: EffectiveItem | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after
  if (before.setIn === after.setIn && before.writtenBy === after.writtenBy) return false
  return before.value === null || after.value === null || before.value !== after.value
}

/** What an environment held itself at a revision of which nothing was erased. */
function itemsAt(environment: ModelEnvironment, revision: number): Omit<ModelItem, "revision">[] {
  const ids = environment.idsIn.get(revision) ?? []
  const values = [...stateAt(environment, revision)]
  return values.map(([name, value], index) => ({ id: ids[index] ?? 0, name, value: value ?? "" }))
}
