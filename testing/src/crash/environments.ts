import type { Environment } from "@envkeep/contract"
import { type Browser, readByKey, type Target } from "./calls.ts"
import { type Possible, possible } from "./possible.ts"
import type { Random } from "./random.ts"

/** Somebody who writes one thing after another, and can say afterwards what must be there. */
export interface Writer {
  name: string
  /** One write; false when nobody knows what became of it, so that nothing more may be written before a check. */
  step(random: Random): Promise<boolean>
  /** Every fault found. */
  check(): Promise<string[]>
}

/** Names and values, in the order in which the environment lists them. */
export type Items = [name: string, value: string][]

export interface Watched {
  id: number
  key: string
  /** The highest revision ever seen; no crash may undo one. */
  revision: number
}

/** Single items: created, changed, renamed and deleted, one by one. */
export function itemWriter(ann: Browser, target: Target, environment: Watched): Writer {
  const state = possible<Items>([])
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
        state.after(outcome, [...items, added])
      } else if (random.chance(0.3)) {
        const outcome = await ann.write("DELETE", `/collectionItem/${ids.get(name)}`)
        state.after(outcome, items.toSpliced(at, 1))
      } else {
        const changed: Items[number] = [random.chance(0.2) ? `N${++made}` : name, `changed ${++made}`]
        const body = { name: changed[0], value: changed[1] }
        const outcome = await ann.write("PUT", `/collectionItem/${ids.get(name)}`, body)
        if (outcome.kind === "done") ids.set(changed[0], Number(ids.get(name)))
        state.after(outcome, items.with(at, changed))
      }
      return state.current() !== undefined
    },
    async check() {
      const { items, found, faults } = await look(ann, target, environment)
      ids = new Map(found.collectionItems.map(({ id, name }) => [name, id]))
      return [...faults, state.settle(items) ?? []].flat()
    },
  }
}

/** Whole lists, each value carrying the number of its save; several may save to the same environment at once. */
export function bulkWriters(ann: Browser, target: Target, environment: Watched, count: number): Writer[] {
  const all = Array.from({ length: count }, (_, n) => ({ n, state: possible<Items>([]) }))
  let saves = 0
  return all.map(({ n, state }) => ({
    name: `bulk saves ${n + 1} of ${count}`,
    async step(random) {
      if (state.current() === undefined) return false
      const items = newList(random, `save ${++saves} by ${n + 1}`)
      const body = items.map(([name, value]) => ({ name, value }))
      const outcome = await ann.write("POST", `/subcollection/${environment.id}/bulk`, body)
      state.after(outcome, items)
      return state.current() !== undefined
    },
    // Whoever is asked first looks for all of them: the last save of any of them may be what is there.
    async check() {
      if (n > 0) return []
      const { items, faults } = await look(ann, target, environment)
      const sorted = items.toSorted(([a], [b]) => a.localeCompare(b))
      return [...faults, ...settleAll(all, sorted)]
    },
  }))
}

function settleAll(all: { state: Possible<Items> }[], items: Items): string[] {
  const complaints = all.map(({ state }) => state.settle(items))
  return complaints.includes(undefined) ? [] : [`the last save of nobody: ${complaints.join("; ")}`]
}

/** Sorted by name, since items that two lists share keep their places. */
function newList(random: Random, value: string): Items {
  const names = new Set(Array.from({ length: 50 + random.below(300) }, () => `B${random.below(600)}`))
  return Array.from(names, (name): Items[number] => [name, value]).toSorted(([a], [b]) => a.localeCompare(b))
}

/** The environment as its owner and as the holder of its key see it, and whether the two and the counts agree. */
async function look(ann: Browser, target: Target, environment: Watched) {
  const found = await ann.read<Environment>(`/subcollection/${environment.id}`)
  const items = found.collectionItems.map(({ name, value }): Items[number] => [name, String(value)])
  const read = await readByKey(target, environment.key)
  const byKey = read.status === 200 ? Object.entries(JSON.parse(read.text) as Record<string, string>) : []
  const faults: string[] = []
  if (read.status !== 200) faults.push(`the key was answered ${read.status}`)
  if (read.stale !== null) faults.push("the read by key is stale, though the database is there")
  if (JSON.stringify(byKey) !== JSON.stringify(items)) faults.push("the read by key differs from what the owner sees")
  if (read.revision !== found.revision) faults.push(`revision ${read.revision} by key, ${found.revision} to the owner`)
  if (found.itemCount !== items.length) faults.push(`itemCount is ${found.itemCount}, but there are ${items.length}`)
  if (found.revision < environment.revision) faults.push(`revision ${environment.revision} fell to ${found.revision}`)
  environment.revision = found.revision
  return { found, items, faults }
}
