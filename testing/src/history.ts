import type { Environment, history, Item, OutputOf } from "@envkeep/contract"
import fc from "fast-check"
import { testApp } from "./app.ts"
import type { Person } from "./person.ts"

type Whole = OutputOf<typeof history.get>

/** An environment and what is needed to look at its history. */
export async function withHistory() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const path = `/environments/${environment.id}`
  const revision = async () => (await ann.get<Environment>(`/subcollection/${environment.id}`)).body.data.revision
  const at = async (number: number) => {
    const { items } = (await ann.get<Whole>(`${path}/history/${number}`)).body.data
    return Object.fromEntries(items.map(({ name, value }) => [name, value]))
  }
  return { app, ann, environment, path, revision, at }
}

/** Values by name. */
type Held = Record<string, string | null>

/** The same after many random changes, and a record of what each revision held. */
export async function historyWithRecord(numRuns: number) {
  const made = await withHistory()
  const { ann, environment, path, revision } = made
  const held = new Map<number, Held>([[1, {}]])
  for (const one of fc.sample(change, { numRuns, seed: 7 })) {
    await apply(ann, environment, path, one, await revision())
    const items = await ann.itemsOf(environment)
    held.set(await revision(), Object.fromEntries(items.map((item) => [item.name, item.value])))
  }
  return { ...made, held }
}

const name = fc.constantFrom("A", "B", "C", "a", "Ä", "=", "D D").filter((one) => one !== "=")
const value = fc.constantFrom("", "1", "2", "line\nbreak", "$x")
const change = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), name, value }),
  fc.record({ kind: fc.constant("delete" as const), name }),
  fc.record({ kind: fc.constant("rename" as const), name, to: name }),
  fc.record({ kind: fc.constant("save all" as const), items: fc.array(fc.record({ name, value }), { minLength: 1 }) }),
  fc.record({
    kind: fc.constant("save many" as const),
    items: fc.uniqueArray(fc.record({ name, value }), { minLength: 1, selector: (item) => item.name }),
  }),
  fc.record({ kind: fc.constant("restore" as const), to: fc.nat() }),
  fc.record({ kind: fc.constant("restore item" as const), name, to: fc.nat() }),
  fc.record({ kind: fc.constant("rename environment" as const), to: fc.constantFrom("x", "y") }),
)

async function apply(
  ann: Person,
  environment: Environment,
  path: string,
  one: typeof change extends fc.Arbitrary<infer Change> ? Change : never,
  revision: number,
): Promise<void> {
  const items = await ann.itemsOf(environment)
  const itemNamed = (wanted: string): Item | undefined => items.find((item) => item.name === wanted)
  if (one.kind === "put") {
    const item = itemNamed(one.name)
    if (item === undefined) await ann.item(environment, one.name, one.value)
    else await ann.put(`/collectionItem/${item.id}`, { name: one.name, value: one.value })
  }
  if (one.kind === "delete") await ann.delete(`/collectionItem/${itemNamed(one.name)?.id ?? 1}`)
  if (one.kind === "rename") {
    const item = itemNamed(one.name)
    if (item !== undefined) await ann.put(`/collectionItem/${item.id}`, { name: one.to, value: item.value })
  }
  if (one.kind === "save all") await ann.post(`/subcollection/${environment.id}/bulk`, one.items)
  if (one.kind === "save many") {
    const edits = one.items.map((item) => ({ ...item, ...(itemNamed(item.name) && { id: itemNamed(item.name)?.id }) }))
    await ann.put(`${path}/items`, edits)
  }
  if (one.kind === "restore") await ann.post(`${path}/restore`, { revision: 1 + (one.to % revision) })
  if (one.kind === "restore item") {
    await ann.post(`${path}/restore-item`, { name: one.name, revision: 1 + (one.to % revision) })
  }
  if (one.kind === "rename environment") await ann.put(`/subcollection/${environment.id}`, { name: one.to })
}
