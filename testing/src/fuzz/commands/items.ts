import { type InputOf, items, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { commandsAbout, conflicting, refused } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { type Field, field } from "../model/field.ts"
import { changeItems, learnId, type ModelEnvironment, type ModelItem } from "../model/model.ts"
import { type Fault, itemNameFaults, valueFaults } from "../model/text-rules.ts"

const fillAll = "Please fill all fields"
const taken = refused(409, "This environment already has an item with that name")

type Edit = InputOf<typeof items.saveMany>["items"][number]

const isChanged = (item: ModelItem, { name, value }: Edit) => item.name !== name.trim() || item.value !== value
const isLater = (item: ModelItem, revision: number | undefined) => revision !== undefined && item.revision > revision
const hasName = ({ items }: ModelEnvironment, name: string, but?: ModelItem) =>
  [...items.values()].some((one) => one !== but && one.name === name.trim())

/** What the item has already, or something else. */
const keptOr = (of: "name" | "value", other: Field<string>) =>
  field({
    ...other,
    draw: fc.option(other.draw, { freq: 2 }),
    sent: ({ item }, drawn) => drawn ?? item?.[of] ?? "A",
  })

/** Each is an edit of one of the environment's items, or a new item. */
const edits = field({
  draw: fc.record({
    lines: fc.array(fc.tuple(fc.option(fc.nat(5)), draw.line), { maxLength: 5, size: "max" }),
    seen: draw.seenRevision.draw,
  }),
  sent(context, { lines, seen }): Edit[] {
    const stored = [...(context.environment?.items.keys() ?? [])]
    const revision = draw.seenRevision.sent?.(context, seen)
    return lines.map(([index, line]) => {
      const id = index === null ? undefined : stored[index % stored.length]
      return id === undefined ? line : { id, ...line, revision }
    })
  },
  faults: editFaults,
})

function editFaults(edits: Edit[]): Fault[] {
  if (edits.length === 0) return ["No data found"]
  const isRepeated = <Key>(keys: Key[]) => new Set(keys).size < keys.length
  const isFaulty = edits.some(({ name, value }) => [...itemNameFaults(name), ...valueFaults(value)].length > 0)
  const areNamesRepeated = isRepeated(edits.map(({ name }) => name.trim()))
  const areIdsRepeated = isRepeated(edits.flatMap((edit) => edit.id ?? []))
  return isFaulty || areNamesRepeated || areIdsRepeated ? [/^Item \d+: /] : []
}

export const itemsCommands = {
  create: commandsAbout("environment", items.create, {
    weight: 8,
    fields: { name: draw.itemName },
    blank: fillAll,
    faults: ({ value }) => (value.trim() === "" ? [fillAll] : []),
    refusal: ({ environment, input }) => hasName(environment, input.name) && taken,
    data({ model, environment, input: { name, value } }, { id }) {
      const item = { id: learnId(model, "item", id), name: name.trim(), value, revision: 0 }
      changeItems(environment, () => environment.items.set(id, item))
      return { ...item, subCollectionId: environment.id }
    },
  }),

  update: commandsAbout("item", items.update, {
    weight: 6,
    fields: {
      name: keptOr("name", draw.itemName),
      value: keptOr("value", draw.value),
      revision: draw.seenRevision,
    },
    refusal({ environment, item, input }) {
      if (isChanged(item, input) && isLater(item, input.revision)) {
        return conflicting(sentences.itemChangedMeanwhile, [item])
      }
      return hasName(environment, input.name, item) && taken
    },
    data({ environment, item, input: { name, value } }) {
      changeItems(environment, () => Object.assign(item, { name: name.trim(), value }))
      return { ...item, subCollectionId: environment.id }
    },
  }),

  remove: commandsAbout("item", items.remove, {
    weight: 3,
    fields: { revision: draw.seenRevision },
    refusal: ({ item, input }) =>
      isLater(item, input.revision) && conflicting(sentences.deletedItemChangedMeanwhile, [item]),
    data({ environment, item }) {
      changeItems(environment, () => environment.items.delete(item.id))
    },
  }),

  saveMany: commandsAbout("environment", items.saveMany, {
    weight: 5,
    fields: { items: edits },
    refusal({ environment, input }) {
      const later = input.items.flatMap((edit) => {
        const item = environment.items.get(edit.id ?? 0)
        return item !== undefined && isChanged(item, edit) && isLater(item, edit.revision) ? [item] : []
      })
      if (later.length > 0) return conflicting(sentences.itemsChangedMeanwhile, later)
      const edited = new Set(input.items.map(({ id }) => id))
      const names = new Set(input.items.map(({ name }) => name.trim()))
      return [...environment.items.values()].some((one) => !edited.has(one.id) && names.has(one.name)) && taken
    },
    data({ model, environment, input }, saved) {
      const changes = input.items.map(({ id, name, value }, index) => {
        const { revision = 0 } = environment.items.get(id ?? 0) ?? {}
        return { id: id ?? learnId(model, "item", saved[index]?.id), name: name.trim(), value, revision }
      })
      changeItems(environment, () => {
        for (const item of changes) environment.items.set(item.id, item)
      })
      return changes.map((item) => ({ ...item, subCollectionId: environment.id }))
    },
  }),
}
