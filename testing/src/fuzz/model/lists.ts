import type { Environment } from "@envkeep/contract"
import { changeItems, learnId, type Model, type ModelEnvironment, setState } from "./model.ts"
import { type Fault, itemNameFaults, valueFaults } from "./text-rules.ts"

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

/** Same names keep their ids, missing names are deleted, and saving the current list is not a change. */
export function saveAll(environment: ModelEnvironment, values: Map<string, string>): void {
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

/** The answer contains no ids, so those of new names are learned by reading the environment, which is then compared. */
export function learnItems(
  model: Model,
  environment: ModelEnvironment,
  values: Map<string, string>,
  seen: Environment,
): void {
  const current = new Set([...environment.items.values()].map(({ name }) => name))
  for (const { id, name } of seen.collectionItems) {
    const value = values.get(name)
    if (current.has(name) || value === undefined) continue
    environment.items.set(learnId(model, "item", id), { id, name, value, revision: environment.revision })
  }
  setState(environment)
}
