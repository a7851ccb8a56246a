import type { ActivityEvent, Environment, history, OutputOf } from "@envkeep/contract"
import { type Browser, readByKey, type Target } from "./clients.ts"
import { type PossibleStates, possibleStates } from "./possible-states.ts"
import type { Random } from "./random.ts"
import type { Writer } from "./writer.ts"

/** Names and values, in the environment's order. */
export type Items = [name: string, value: string][]

export interface WatchedEnvironment {
  id: number
  key: string
  /** The highest revision ever read. No crash may make it lower. */
  revision: number
}

/** Creates, changes, renames and deletes single items. */
export function itemWriter(ann: Browser, target: Target, environment: WatchedEnvironment): Writer {
  const state = possibleStates<Items>([])
  let ids = new Map<string, number>()
  let made = 0
  return {
    name: "single items",
    async step(random) {
      const items = state.current()
      if (items === undefined) return false
      const at = random.below(items.length + 1)
      const [name = ""] = items[at] ?? []
      if (at === items.length || items.length < 3) {
        const added: Items[number] = [`N${++made}`, `value ${made} ${"x".repeat(random.below(3_000))}`]
        const body = { name: added[0], value: added[1], subCollectionId: environment.id }
        const outcome = await ann.write<{ id: number }>("POST", "/collectionItem", body)
        if (outcome.kind === "done") ids.set(added[0], outcome.data.id)
        state.record(outcome, [...items, added])
      } else if (random.chance(0.3)) {
        const outcome = await ann.write("DELETE", `/collectionItem/${ids.get(name)}`)
        state.record(outcome, items.toSpliced(at, 1))
      } else {
        const changed: Items[number] = [random.chance(0.2) ? `N${++made}` : name, `changed ${++made}`]
        const body = { name: changed[0], value: changed[1] }
        const outcome = await ann.write("PUT", `/collectionItem/${ids.get(name)}`, body)
        if (outcome.kind === "done") ids.set(changed[0], Number(ids.get(name)))
        state.record(outcome, items.with(at, changed))
      }
      return state.current() !== undefined
    },
    async check() {
      const { items, found, faults } = await readEnvironment(ann, target, environment)
      ids = new Map(found.collectionItems.map(({ id, name }) => [name, id]))
      return [...faults, state.resolve(items) ?? []].flat()
    },
  }
}

/** Save whole lists, in which every value contains the number of the save. Several can save to one environment at a time. */
export function bulkWriters(ann: Browser, target: Target, environment: WatchedEnvironment, count: number): Writer[] {
  const all = Array.from({ length: count }, (_, n) => ({ n, state: possibleStates<Items>([]) }))
  let saves = 0
  return all.map(({ n, state }) => ({
    name: `bulk saves ${n + 1} of ${count}`,
    async step(random) {
      if (state.current() === undefined) return false
      const items = newList(random, `save ${++saves} by ${n + 1}`)
      const outcome = await ann.write("POST", `/subcollection/${environment.id}/bulk`, items.map(asItem))
      state.record(outcome, items)
      return state.current() !== undefined
    },
    // The first writer checks for all of them, since the environment may contain the last save of any of them.
    async check() {
      if (n > 0) return []
      const { items, faults } = await readEnvironment(ann, target, environment)
      const sorted = items.toSorted(([a], [b]) => a.localeCompare(b))
      return [...faults, ...settleAll(all, sorted)]
    },
  }))
}

/** To check all of them after every crash would take longer and longer. */
const pastChecked = 5

/** Saves lists, and restores the environment to any state that it had before. */
export function restoreWriter(ann: Browser, target: Target, environment: WatchedEnvironment): Writer {
  const state = possibleStates<Items>([])
  const held = new Map<number, Items>([[1, []]])
  let revision = 1
  let saves = 0
  return {
    name: "restores",
    async step(random) {
      const items = state.current()
      if (items === undefined) return false
      const [number, past] = random.pick([...held])
      const isRestore = random.chance(0.5) && JSON.stringify(past) !== JSON.stringify(items)
      const next = isRestore ? past : newList(random, `save ${++saves}`)
      const outcome = isRestore
        ? await ann.write("POST", `/environments/${environment.id}/restore`, { revision: number })
        : await ann.write("POST", `/subcollection/${environment.id}/bulk`, next.map(asItem))
      state.record(outcome, next)
      if (outcome.kind === "done") held.set(++revision, next)
      return state.current() !== undefined
    },
    async check() {
      const { found, items, faults } = await readEnvironment(ann, target, environment)
      const sorted = items.toSorted(([a], [b]) => a.localeCompare(b))
      const complaint = state.resolve(sorted)
      revision = found.revision
      held.set(revision, sorted)
      for (const [number, past] of [...held].slice(-pastChecked)) {
        const whole = await ann.read<Whole>(`/environments/${environment.id}/history/${number}`)
        if (!holds(whole, past)) faults.push(`revision ${number} is not what it was`)
      }
      return [...faults, complaint ?? []].flat()
    },
  }
}

function settleAll(all: { state: PossibleStates<Items> }[], items: Items): string[] {
  const complaints = all.map(({ state }) => state.resolve(items))
  return complaints.includes(undefined) ? [] : [`not the last save of any writer: ${complaints.join("; ")}`]
}

const asItem = ([name, value]: Items[number]) => ({ name, value })

/** Sorted by name, since an item that is in two lists keeps its position. */
function newList(random: Random, value: string): Items {
  const names = new Set(Array.from({ length: 50 + random.below(300) }, () => `B${random.below(600)}`))
  return Array.from(names, (name): Items[number] => [name, value]).toSorted(([a], [b]) => a.localeCompare(b))
}

/** Reads the environment as its owner and with its key, and checks that both and the counts agree. */
async function readEnvironment(ann: Browser, target: Target, environment: WatchedEnvironment) {
  const found = await ann.read<Environment>(`/subcollection/${environment.id}`)
  const items = found.collectionItems.map(({ name, value }): Items[number] => [name, String(value)])
  const read = await readByKey(target, environment.key)
  const byKey = read.status === 200 ? Object.entries(JSON.parse(read.text) as Record<string, string>) : []
  const faults: string[] = []
  if (read.status !== 200) faults.push(`the key was answered ${read.status}`)
  if (read.stale !== null) faults.push("the read by key is stale, although the database can be reached")
  if (JSON.stringify(byKey) !== JSON.stringify(items)) faults.push("the read by key differs from what the owner reads")
  if (read.revision !== found.revision) faults.push(`revision ${read.revision} by key, ${found.revision} for the owner`)
  if (found.itemCount !== items.length) faults.push(`itemCount is ${found.itemCount}, but there are ${items.length}`)
  if (found.revision < environment.revision)
    faults.push(`revision ${environment.revision} went back to ${found.revision}`)
  faults.push(...(await historyFaults(ann, found, items)))
  environment.revision = found.revision
  const lines = await ann.readLines(`/collections/${found.collectionId}/activity/export?environmentId=${found.id}`)
  const events = lines
    .map((line) => JSON.parse(line) as ActivityEvent)
    .filter(({ action }) => /^items?\.|^environment\.restore$/.test(action))
  // Each change of the items raises the revision by one. The first revision is the new environment.
  if (events.length !== found.revision - 1) {
    faults.push(`revision ${found.revision} has ${events.length} events: a change and its event belong together`)
  }
  return { found, items, faults }
}

type Page = OutputOf<typeof history.list>
type Whole = OutputOf<typeof history.get>

/** A write, its versions and its revision are all there, or none is. */
async function historyFaults(ann: Browser, { id, revision }: Environment, items: Items): Promise<string[]> {
  const faults: string[] = []
  const { revisions } = await ann.read<Page>(`/environments/${id}/history`)
  const numbers = revisions.map(({ number }) => number)
  const expected = numbers.map((_, index) => revision - index)
  if (String(numbers) !== String(expected)) faults.push(`the history of revision ${revision} has ${numbers}`)
  const whole = await ann.read<Whole>(`/environments/${id}/history/${revision}`)
  if (!holds(whole, items)) faults.push("the history of the last revision differs from what the environment holds")
  return faults
}

function holds(past: Whole, items: Items): boolean {
  const versions = new Map(past.items.map(({ name, value }) => [name, value]))
  return versions.size === items.length && items.every(([name, value]) => versions.get(name) === value)
}
