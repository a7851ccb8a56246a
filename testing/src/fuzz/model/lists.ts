import type { Environment } from "@envkeep/contract"
import { expectSame } from "./command.ts"
import {
  changeItems,
  hasChangedSince,
  learnId,
  type Model,
  type ModelCollection,
  type ModelEnvironment,
  type ModelItem,
  setState,
} from "./model.ts"
import { type Fault, itemNameFaults, valueFaults } from "./text-rules.ts"
import { withInheritedView } from "./views.ts"

// An environment that is saved as one list of lines.

export interface Line {
  name: string
  value: string
}

export function listFaults(lines: Line[]): Fault[] {
  const faulty = lines.findIndex(
    ({ name, value }) => name.trim() !== "" && [...itemNameFaults(name), ...valueFaults(value)].length > 0,
  )
  if (faulty >= 0) return [new RegExp(`^Item ${faulty + 1}: `)]
  return lines.every(({ name }) => name.trim() === "") ? ["No data found"] : []
}

export function namesFaults(names: string[]): Fault[] {
  const faulty = names.findIndex((name) => itemNameFaults(name).length > 0)
  if (faulty >= 0) return [new RegExp(`^Item ${faulty + 1}: `)]
  return names.length === 0 ? ["No data found"] : []
}

/** Same names keep their ids, missing names are deleted, and saving the current list is not a change. */
export function saveAll(environment: ModelEnvironment, values: ReadonlyMap<string, string>): void {
  const current = new Map([...environment.items.values()].map((item) => [item.name, item]))
  changeItems(
    environment,
    () => {
      for (const item of current.values()) {
        const value = values.get(item.name)
        if (value === undefined) environment.items.delete(item.id)
        else item.value = value
      }
    },
    values,
  )
}

/** The ids of names that are new in the environment's last revision are learned from what a reader sees of it. */
export function learnItems(
  model: Model,
  environment: ModelEnvironment,
  seen: Pick<Environment, "collectionItems">,
): void {
  const known = new Set([...environment.items.values()].map(({ name }) => name))
  const values = environment.states.get(environment.revision)
  for (const { id, name } of seen.collectionItems) {
    const value = values?.get(name)
    if (known.has(name) || typeof value !== "string") continue
    environment.items.set(learnId(model, "item", id), { id, name, value, revision: environment.revision })
  }
  setState(environment)
}

/** For answers without the ids of items: reads the environment, and compares it. */
export async function expectSaved(
  model: Model,
  { collection, environment }: { collection: ModelCollection; environment: ModelEnvironment },
  read: (path: string) => Promise<unknown>,
): Promise<void> {
  const seen = (await read(`/subcollection/${environment.id}`)) as Environment
  learnItems(model, environment, seen)
  expectSame(seen, withInheritedView(collection.id, environment))
}

/** What was written since a revision; undefined if the environment itself has not changed. */
export function laterItems(environment: ModelEnvironment, revision: number): ModelItem[] | undefined {
  if (!hasChangedSince(environment, revision)) return undefined
  return [...environment.items.values()].filter((item) => item.revision > revision)
}
