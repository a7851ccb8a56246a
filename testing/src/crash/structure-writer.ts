import type { Collection, CollectionSummary } from "@envkeep/contract"
import { type Browser, readByKey, type Target } from "./clients.ts"
import { possibleStates } from "./possible-states.ts"
import type { Writer } from "./writer.ts"

/** Sorted paths of names (collection/environment/key). A deletion removes everything below a path in the same step. */
type Paths = string[]

/** Creates and deletes collections, environments and API keys. Its user must own nothing else. */
export function structureWriter(bob: Browser, target: Target): Writer {
  const state = possibleStates<Paths>([])
  const ids = new Map<string, number>()
  const keys = new Map<string, string>()
  let made = 0

  return {
    name: "collections, environments and keys",
    async step(random) {
      const paths = state.current()
      if (paths === undefined) return false
      const parent = random.pick(["", ...paths.filter((path) => depthOf(path) < 3)])
      if (paths.length > 5 && random.chance(0.4)) await remove(random.pick(paths), paths)
      else await add(parent, paths)
      return state.current() !== undefined
    },
    async check() {
      const found = await list()
      const complaint = state.resolve(found)
      const faults = complaint === undefined ? [] : [complaint]
      for (const [path, key] of keys) {
        const expected = found.includes(path) ? 200 : 401
        const { status } = await readByKey(target, key)
        if (status !== expected) faults.push(`a key was answered ${status} instead of ${expected}`)
        if (expected === 401) keys.delete(path)
      }
      return faults
    },
  }

  async function add(parent: string, paths: Paths): Promise<void> {
    const name = `n${++made}`
    const path = parent === "" ? name : `${parent}/${name}`
    const calls = [
      () => bob.write<{ id: number }>("POST", "/collection", { name, description: "" }),
      () => bob.write<{ id: number }>("POST", "/subcollection", { name, collectionId: ids.get(parent) }),
      () => bob.write<{ id: number; key: string }>("POST", "/api-key", { name, subCollectionId: ids.get(parent) }),
    ] as const
    const outcome = await (calls[depthOf(path) - 1] ?? calls[0])()
    state.record(outcome, [...paths, path].sort())
    if (outcome.kind !== "done") return
    ids.set(path, outcome.data.id)
    if ("key" in outcome.data) keys.set(path, String(outcome.data.key))
  }

  async function remove(path: string, paths: Paths): Promise<void> {
    const resource = ["/collection", "/subcollection", "/api-key"][depthOf(path) - 1]
    const outcome = await bob.write("DELETE", `${resource}/${ids.get(path)}`)
    state.record(
      outcome,
      paths.filter((other) => other !== path && !other.startsWith(`${path}/`)),
    )
  }

  async function list(): Promise<Paths> {
    const paths: Paths = []
    const note = (path: string, id: number) => {
      paths.push(path)
      ids.set(path, id)
    }
    for (const { id } of await bob.read<CollectionSummary[]>("/collection")) {
      const collection = await bob.read<Collection>(`/collection/${id}`)
      note(collection.name, id)
      for (const environment of collection.subCollections) {
        note(`${collection.name}/${environment.name}`, environment.id)
        for (const key of environment.apiKeys) note(`${collection.name}/${environment.name}/${key.name}`, key.id)
      }
    }
    return paths.sort()
  }
}

function depthOf(path: string): number {
  return path.split("/").length
}
