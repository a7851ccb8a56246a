import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { longList } from "./long-list.ts"
import { sentences } from "./sentences.ts"
import { fields, form, id, itemName, itemValue, note, queried, revision } from "./text.ts"

export const Item = z.object({
  id: z.number(),
  name: z.string(),
  /** Null if the caller may not see it, or if the stored row is damaged, which does not affect other items. */
  value: z.string().nullable(),
  subCollectionId: z.number(),
  /** The environment's revision that wrote it last; 1 if this was before the history began. */
  revision: z.number(),
})
export type Item = z.output<typeof Item>

/** An edited item, or a new one without an id. */
const SavedItem = fields({
  id: id.optional(),
  name: itemName("Name is required"),
  value: itemValue,
  revision: revision.optional(),
})

const savedItems = longList({
  line: SavedItem,
  error: "The body must be a list of { id, name, value }",
  max: limits.itemsPerSave,
  tooLong: sentences.tooManyItemsAtOnce,
  together(items, context) {
    const seen = new Set<number | string>()
    for (const [index, item] of items.entries()) {
      if (seen.has(item.name)) context.addIssue({ code: "custom", message: sentences.itemNamedTwice, path: [index] })
      if (item.id !== undefined && seen.has(item.id)) {
        context.addIssue({ code: "custom", message: "This item is in the list twice", path: [index] })
      }
      seen.add(item.name)
      if (item.id !== undefined) seen.add(item.id)
    }
  },
})

const fillAll = "Please fill all fields"

export const items = {
  create: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/collectionItem",
    summary: "Adds an item to an environment.",
    input: form(fillAll, ["name", "value"], {
      name: itemName(fillAll),
      value: itemValue.refine((value) => value.trim() !== "", fillAll),
      subCollectionId: id,
      note,
    }),
    output: Item,
    done: "Item created successfully",
    bodyBytes: limits.itemBodyBytes,
  }),
  update: call({
    access: "user",
    level: "editor",
    method: "PUT",
    path: "/collectionItem/{id}",
    summary:
      "Changes an item's name and value; the value may be empty. With a `revision`, only if no later one has changed the item.",
    input: fields({ id, name: itemName("Name is required"), value: itemValue, revision: revision.optional(), note }),
    output: Item,
    done: "Item updated successfully",
    bodyBytes: limits.itemBodyBytes,
  }),
  remove: call({
    access: "user",
    level: "editor",
    method: "DELETE",
    path: "/collectionItem/{id}",
    summary: "Deletes an item. With a `revision` in the query, only if no later one has changed the item.",
    input: fields({ id, revision: queried(revision).optional(), note }),
    output: z.null(),
    done: "Item deleted successfully",
  }),
  saveMany: call({
    access: "user",
    level: "editor",
    method: "PUT",
    path: "/environments/{id}/items",
    summary:
      "Changes the items with these ids and adds those without one, all or none, in one revision. Other items stay as they are. If one of them has changed since its `revision`, none is saved.",
    input: fields({ id, items: savedItems.schema, note }),
    output: z.array(Item),
    done: "Items saved successfully",
    body: "items",
    bodyInSteps: savedItems.inSteps,
    bodyBytes: limits.bulkBodyBytes,
    // Each item and its four fields.
    bodyParts: 5 * limits.itemsPerSave,
  }),
}
