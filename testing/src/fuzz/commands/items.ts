import { type Item, items, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, conflicting, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import {
  type Account,
  changeItems,
  environmentsOf,
  learnId,
  type ModelEnvironment,
  type ModelItem,
} from "../model/model.ts"
import { type Fault, itemNameFaults, valueFaults } from "../model/text-rules.ts"
import { findEnvironment } from "./environments.ts"

const fillAll = "Please fill all fields"
const taken = refused(409, "This environment already has an item with that name")
const missing = notFound("Item")
/** How many revisions ago the environment was read; usually not sent. */
const seen = fc.option(fc.nat(3), { freq: 3 })
const seenRevision = (environment: ModelEnvironment | undefined, ago: number | null) =>
  ago === null ? undefined : Math.max(1, (environment?.revision ?? 1) - ago)
const isLater = (item: ModelItem, revision: number | undefined) => revision !== undefined && item.revision > revision

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
      seen,
    }),
    request({ model, account }, { at, keep, seen, ...drawn }) {
      const id = draw.resolve(model, account, "item", at)
      const found = account && findItem(account, id)
      const current = found?.item
      const revision = seenRevision(found?.environment, seen)
      const name = keep === "none" ? drawn.name : (current?.name ?? drawn.name)
      const value = keep === "both" ? (current?.value ?? drawn.value) : drawn.value
      return { id, body: { name, value, revision } }
    },
    expected({ account }, _, { id, body }) {
      const { name, value, revision } = body as Edit
      return unless([...itemNameFaults(name), ...valueFaults(value)], () => {
        const found = findItem(account, id)
        if (found === undefined) return missing
        const { environment, item } = found
        const isChanged = item.name !== name.trim() || item.value !== value
        if (isChanged && isLater(item, revision)) return conflicting(sentences.itemChangedMeanwhile, [item])
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
    draw: fc.record({ at: draw.picked, seen }),
    request({ model, account }, { at, seen }) {
      const id = draw.resolve(model, account, "item", at)
      const revision = seenRevision(account && findItem(account, id)?.environment, seen)
      return { id, query: revision === undefined ? "" : `?revision=${revision}` }
    },
    expected({ account }, _, { id, query }) {
      const found = findItem(account, id)
      if (found === undefined) return missing
      const revision = query ? Number(query.slice("?revision=".length)) : undefined
      if (isLater(found.item, revision)) return conflicting(sentences.deletedItemChangedMeanwhile, [found.item])
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
      seen,
    }),
    request({ model, account }, { at, edits, seen }) {
      const id = draw.resolve(model, account, "environment", at)
      const environment = account && findEnvironment(account, id)?.environment
      const stored = [...(environment?.items.keys() ?? [])]
      const revision = seenRevision(environment, seen)
      const body = edits.map(([index, line]) => {
        const itemId = index === null ? undefined : stored[index % stored.length]
        return itemId === undefined ? line : { id: itemId, ...line, revision }
      })
      return { id, body }
    },
    expected({ model, account }, _, { id, body }) {
      const edits = body as Edit[]
      return unless(editFaults(edits), () => {
        const found = findEnvironment(account, id)
        if (found === undefined) return notFound("Environment")
        const { environment } = found
        const later = edits.flatMap(({ id: itemId, name, value, revision }) => {
          const item = environment.items.get(itemId ?? 0)
          const isChanged = item !== undefined && (item.name !== name.trim() || item.value !== value)
          return isChanged && isLater(item, revision) ? [item] : []
        })
        if (later.length > 0) return conflicting(sentences.itemsChangedMeanwhile, later)
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
  revision?: number
}

function editFaults(edits: Edit[]): Fault[] {
  if (edits.length === 0) return ["No data found"]
  const isRepeated = <Key>(keys: Key[]) => new Set(keys).size < keys.length
  const isFaulty = edits.some(({ name, value }) => [...itemNameFaults(name), ...valueFaults(value)].length > 0)
  const areNamesRepeated = isRepeated(edits.map(({ name }) => name.trim()))
  const areIdsRepeated = isRepeated(edits.flatMap((edit) => edit.id ?? []))
  return isFaulty || areNamesRepeated || areIdsRepeated ? [/^Item \d+: /] : []
}
