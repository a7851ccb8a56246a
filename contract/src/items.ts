import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, form, id, itemName, itemValue } from "./text.ts"

export const Item = z.object({
  id: z.number(),
  name: z.string(),
  /** Null if the stored row is damaged and cannot be decrypted. Other items are not affected. */
  value: z.string().nullable(),
  subCollectionId: z.number(),
})
export type Item = z.output<typeof Item>

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
    summary: "Changes an item's name and value; the value may be empty.",
    input: fields({ id, name: itemName("Name is required"), value: itemValue }),
    output: Item,
    done: "Item updated successfully",
    bodyBytes: limits.itemBodyBytes,
  }),
  remove: call({
    access: "user",
    level: "editor",
    method: "DELETE",
    path: "/collectionItem/{id}",
    summary: "Deletes an item.",
    input: fields({ id }),
    output: z.null(),
    done: "Item deleted successfully",
  }),
}
