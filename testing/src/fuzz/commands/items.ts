import { type Item, items } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { type Account, environmentsOf, learnId } from "../model/model.ts"
import { itemNameFaults, valueFaults } from "../model/text-rules.ts"
import { findEnvironment } from "./environments.ts"

const fillAll = "Please fill all fields"
const taken = refused(409, "This environment already has an item with that name")
const missing = notFound("Item")

function findItem(account: Account, id: number | undefined) {
  for (const { environment } of environmentsOf(account)) {
    const item = environment.items.get(id ?? 0)
    if (item !== undefined) return { environment, item }
  }
  return undefined
}

export const itemsCommands = {
  create: commandsFor(items.create, {
    weight: 8,
    draw: fc.record({ at: draw.picked, name: draw.itemName, value: draw.value }),
    request: ({ model, account }, { at, name, value }) => ({
      body: { name, value, subCollectionId: draw.resolve(model, account, "environment", at) },
    }),
    expected({ model, account }, { at, name, value }) {
      const blank = value.trim() === "" ? [fillAll] : []
      return unless([...itemNameFaults(name, fillAll), ...valueFaults(value), ...blank], () => {
        const found = findEnvironment(account, draw.resolve(model, account, "environment", at))
        if (found === undefined) return notFound("Environment")
        const { environment } = found
        if ([...environment.items.values()].some((one) => one.name === name.trim())) return taken
        return {
          data(data) {
            const id = learnId(model, "item", (data as Item).id)
            const item = { id, name: name.trim(), value }
            environment.items.set(id, item)
            environment.revision++
            return { ...item, subCollectionId: environment.id }
          },
        }
      })
    },
  }),

  update: commandsFor(items.update, {
    weight: 6,
    draw: fc.record({
      at: draw.picked,
      name: draw.itemName,
      value: draw.value,
      keep: fc.constantFrom("none", "name", "both"),
    }),
    request({ model, account }, { at, keep, ...drawn }) {
      const id = draw.resolve(model, account, "item", at)
      const current = account && findItem(account, id)?.item
      const name = keep === "none" ? drawn.name : (current?.name ?? drawn.name)
      const value = keep === "both" ? (current?.value ?? drawn.value) : drawn.value
      return { id, body: { name, value } }
    },
    expected({ account }, _, { id, body }) {
      const { name, value } = body as { name: string; value: string }
      return unless([...itemNameFaults(name), ...valueFaults(value)], () => {
        const found = findItem(account, id)
        if (found === undefined) return missing
        const { environment, item } = found
        if ([...environment.items.values()].some((one) => one !== item && one.name === name.trim())) return taken
        return {
          data() {
            if (item.name !== name.trim() || item.value !== value) environment.revision++
            item.name = name.trim()
            item.value = value
            return { ...item, subCollectionId: environment.id }
          },
        }
      })
    },
  }),

  remove: commandsFor(items.remove, {
    weight: 3,
    draw: fc.record({ at: draw.picked }),
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "item", at) }),
    expected({ account }, _, { id }) {
      const found = findItem(account, id)
      if (found === undefined) return missing
      return {
        data() {
          found.environment.items.delete(found.item.id)
          found.environment.revision++
          return null
        },
      }
    },
  }),
}
