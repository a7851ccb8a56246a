import { type Item, items } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { type Account, changeItems, environmentsOf, learnId } from "../model/model.ts"
import { type Fault, itemNameFaults, valueFaults } from "../model/text-rules.ts"
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
            const item = { id, name: name.trim(), value, revision: 0 }
            changeItems(environment, () => environment.items.set(id, item))
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
            changeItems(environment, () => Object.assign(item, { name: name.trim(), value }))
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
          changeItems(found.environment, () => found.environment.items.delete(found.item.id))
          return null
        },
      }
    },
  }),
  saveMany: commandsFor(items.saveMany, {
    weight: 5,
    draw: fc.record({
      at: draw.picked,
      /** Each is an edit of one of the environment's items, or a new item. */
      edits: fc.array(fc.tuple(fc.option(fc.nat(5)), draw.line), { maxLength: 5, size: "max" }),
    }),
    request({ model, account }, { at, edits }) {
      const id = draw.resolve(model, account, "environment", at)
      const stored = [...((account && findEnvironment(account, id)?.environment.items.keys()) ?? [])]
      const body = edits.map(([index, line]) => {
        const itemId = index === null ? undefined : stored[index % stored.length]
        return itemId === undefined ? line : { id: itemId, ...line }
      })
      return { id, body }
    },
    expected({ model, account }, _, { id, body }) {
      const edits = body as Edit[]
      return unless(editFaults(edits), () => {
        const found = findEnvironment(account, id)
        if (found === undefined) return notFound("Environment")
        const { environment } = found
        const edited = new Set(edits.map((edit) => edit.id))
        const names = new Set(edits.map(({ name }) => name.trim()))
        if ([...environment.items.values()].some((one) => !edited.has(one.id) && names.has(one.name))) return taken
        return {
          data(data) {
            const changes = edits.map(({ id: itemId, name, value }, index) => {
              const newId = () => learnId(model, "item", (data as Item[])[index]?.id ?? 0)
              const { revision = 0 } = environment.items.get(itemId ?? 0) ?? {}
              return { id: itemId ?? newId(), name: name.trim(), value, revision }
            })
            changeItems(environment, () => {
              for (const item of changes) environment.items.set(item.id, item)
            })
            return changes.map((item) => ({ ...item, subCollectionId: environment.id }))
          },
        }
      })
    },
  }),
}

interface Edit {
  id?: number
  name: string
  value: string
}

function editFaults(edits: Edit[]): Fault[] {
  if (edits.length === 0) return ["No data found"]
  const isRepeated = <Key>(keys: Key[]) => new Set(keys).size < keys.length
  const isFaulty = edits.some(({ name, value }) => [...itemNameFaults(name), ...valueFaults(value)].length > 0)
  const areNamesRepeated = isRepeated(edits.map(({ name }) => name.trim()))
  const areIdsRepeated = isRepeated(edits.flatMap((edit) => edit.id ?? []))
  return isFaulty || areNamesRepeated || areIdsRepeated ? [/^Item \d+: /] : []
}
