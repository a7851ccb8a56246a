import type { ActivityEvent, Collection, CollectionSummary, OutputOf, trash } from "@envkeep/contract"
import { type Browser, readByKey, type Target } from "./clients.ts"
import { possibleStates } from "./possible-states.ts"
import type { Random } from "./random.ts"
import type { Writer } from "./writer.ts"

interface Structure {
  /** Sorted paths of names (collection/environment/key) of all that exists. */
  paths: string[]
  /** Those of them that were moved to the trash, with everything below them. */
  trashed: string[]
  /** Each change has one event. */
  changes: number
}

/**
 * Creates collections, environments and API keys, moves them to the trash, restores them and deletes them forever. Its user
 * must own nothing else.
 */
export function structureWriter(bob: Browser, target: Target): Writer {
  const state = possibleStates<Structure>({ paths: [], trashed: [], changes: 0 })
  const ids = new Map<string, number>()
  const keys = new Map<string, string>()
  let made = 0

  return {
    name: "collections, environments and keys",
    async step(random) {
      const structure = state.current()
      if (structure === undefined) return false
      const { live, trash } = visibleIn(structure)
      if (trash.length > 0 && random.chance(0.3)) await recoverOrPurge(random, structure)
      else if (live.length > 5 && random.chance(0.4)) await remove(random.pick(live), structure)
      else await add(random.pick(["", ...live.filter((path) => depthOf(path) < 3)]), structure)
      return state.current() !== undefined
    },
    async check() {
      const found = JSON.stringify(await list())
      const expected = state.all().map((structure) => ({ structure, text: JSON.stringify(visibleIn(structure)) }))
      const match = expected.find(({ text }) => text === found)?.structure
      if (match === undefined)
        return [`found ${found}\n    instead of ${expected.map(({ text }) => text).join("\n or ")}`]
      state.resolve(match)
      const faults: string[] = []
      const events = await countEvents()
      if (events !== match.changes) faults.push(`${match.changes} changes have ${events} events`)
      const { live } = visibleIn(match)
      for (const [path, key] of keys) {
        const expectedStatus = live.includes(path) ? 200 : 401
        const { status } = await readByKey(target, key)
        if (status !== expectedStatus) faults.push(`a key was answered ${status} instead of ${expectedStatus}`)
        if (!match.paths.includes(path)) keys.delete(path)
      }
      return faults
    },
  }

  async function add(parent: string, { paths, trashed, changes }: Structure): Promise<void> {
    const name = `n${++made}`
    const path = parent === "" ? name : `${parent}/${name}`
    const calls = [
      () => bob.write<{ id: number }>("POST", "/collection", { name, description: "" }),
      () => bob.write<{ id: number }>("POST", "/subcollection", { name, collectionId: ids.get(parent) }),
      () => bob.write<{ id: number; key: string }>("POST", "/api-key", { name, subCollectionId: ids.get(parent) }),
    ] as const
    const outcome = await (calls[depthOf(path) - 1] ?? calls[0])()
    state.record(outcome, { paths: [...paths, path].sort(), trashed, changes: changes + 1 })
    if (outcome.kind !== "done") return
    ids.set(path, outcome.data.id)
    if ("key" in outcome.data) keys.set(path, String(outcome.data.key))
  }

  /** Keys are deleted at once; the others go to the trash. */
  async function remove(path: string, { paths, trashed, changes }: Structure): Promise<void> {
    const resource = ["/collection", "/subcollection", "/api-key"][depthOf(path) - 1]
    const outcome = await bob.write("DELETE", `${resource}/${ids.get(path)}`)
    const isKey = depthOf(path) === 3
    state.record(outcome, {
      paths: isKey ? paths.filter((other) => other !== path) : paths,
      trashed: isKey ? trashed : [...trashed, path].sort(),
      changes: changes + 1,
    })
  }

  async function recoverOrPurge(random: Random, structure: Structure): Promise<void> {
    const path = random.pick(visibleIn(structure).trash)
    const resource = `/trash/${depthOf(path) === 1 ? "collections" : "environments"}/${ids.get(path)}`
    const changes = structure.changes + 1
    if (random.chance(0.6)) {
      const outcome = await bob.write("POST", `${resource}/restore`)
      state.record(outcome, { ...structure, trashed: structure.trashed.filter((other) => other !== path), changes })
    } else {
      const outcome = await bob.write("POST", `${resource}/purge`, { name: path.split("/").at(-1) })
      const isLeft = (other: string) => !isIn(path, other)
      const { paths, trashed } = structure
      state.record(outcome, { paths: paths.filter(isLeft), trashed: trashed.filter(isLeft), changes })
    }
  }

  async function list(): Promise<Visible> {
    const live: string[] = []
    const inTrash = (await bob.read<OutputOf<typeof trash.listCollections>>("/trash")).entries.map(({ name }) => name)
    const note = (path: string, id: number) => {
      live.push(path)
      ids.set(path, id)
    }
    for (const { id } of await bob.read<CollectionSummary[]>("/collection")) {
      const collection = await bob.read<Collection>(`/collection/${id}`)
      note(collection.name, id)
      for (const environment of collection.subCollections) {
        note(`${collection.name}/${environment.name}`, environment.id)
        for (const key of environment.apiKeys) note(`${collection.name}/${environment.name}/${key.name}`, key.id)
      }
      const { entries } = await bob.read<OutputOf<typeof trash.listEnvironments>>(`/collections/${id}/trash`)
      for (const { name } of entries) inTrash.push(`${collection.name}/${name}`)
    }
    return { live: live.sort(), trash: inTrash.sort() }
  }

  async function countEvents(): Promise<number> {
    const lines = await bob.readLines("/users/me/activity/export")
    const events = lines.map((line) => JSON.parse(line) as ActivityEvent)
    return events.filter(
      ({ action, actor }) => actor.kind === "user" && /^(collection|environment|api-key)\./.test(action),
    ).length
  }
}

interface Visible {
  live: string[]
  /** What is listed in the trash. What is below something in the trash is not. */
  trash: string[]
}

function visibleIn({ paths, trashed }: Structure): Visible {
  return {
    live: paths.filter((path) => !trashed.some((other) => isIn(other, path))),
    trash: trashed.filter((path) => !trashed.some((other) => other !== path && isIn(other, path))),
  }
}

function isIn(path: string, other: string): boolean {
  return other === path || other.startsWith(`${path}/`)
}

function depthOf(path: string): number {
  return path.split("/").length
}
