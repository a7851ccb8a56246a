import { z } from "zod"
import { call } from "./call.ts"
import { firstCalls } from "./first-calls.ts"
import { limits } from "./limits.ts"
import { fields, id, shown, text } from "./text.ts"

const TrashEntry = z.object({
  id: z.number(),
  name: shown,
  /** ISO 8601. */
  deletedAt: z.string(),
  /** The username at that time. */
  deletedBy: shown.nullable(),
  /** When it is deleted forever, in ISO 8601; null if the server keeps it. */
  expiresAt: z.string().nullable(),
  itemCount: z.number(),
})

export const TrashedEnvironment = TrashEntry
export type TrashedEnvironment = z.output<typeof TrashedEnvironment>

export const TrashedCollection = TrashEntry.extend({ environmentCount: z.number() })
export type TrashedCollection = z.output<typeof TrashedCollection>

const trashOf = <Entry extends z.ZodType>(entry: Entry) =>
  z.object({
    /** The last 200 that were deleted, newest first. */
    entries: z.array(entry),
    total: z.number(),
    /** After how many days the server deletes forever; null if it does not. */
    keptDays: z.number().nullable(),
  })

const Restored = z.object({ id: z.number(), name: shown })

// As it is stored, also if such a name is refused today.
const typedName = text({ label: "Name", max: limits.name, required: "Name is required" })

export const trash = {
  listCollections: call({
    ...firstCalls.trashedCollections,
    summary: "The caller's collections that are in the trash, the last 200 that were deleted.",
    input: fields({}),
    output: trashOf(TrashedCollection),
  }),
  restoreCollection: call({
    access: "user",
    level: "owner",
    method: "POST",
    path: "/trash/collections/{id}/restore",
    summary:
      "Takes a collection out of the trash, with all it had when it was deleted. Its API keys work again. If its name is taken, it gets another one, such as `app (2)`.",
    input: fields({ id }),
    output: Restored,
    done: "Collection restored successfully",
  }),
  purgeCollection: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "POST",
    path: "/trash/collections/{id}/purge",
    summary: "Deletes a collection in the trash forever. `name` is its name, to confirm.",
    input: fields({ id, name: typedName }),
    output: z.null(),
    done: "Collection deleted forever",
  }),
  emptyCollections: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "POST",
    path: "/trash/empty",
    summary: "Deletes all collections in the caller's trash forever. `name` is the caller's username, to confirm.",
    input: fields({ name: typedName }),
    output: z.null(),
    done: "Trash emptied successfully",
  }),
  listEnvironments: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: "/collections/{id}/trash",
    summary: "The collection's environments that are in the trash, the last 200 that were deleted.",
    input: fields({ id }),
    output: trashOf(TrashedEnvironment),
    done: "OK",
  }),
  restoreEnvironment: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: "/trash/environments/{id}/restore",
    summary:
      "Takes an environment out of the trash, with its items, history and API keys, which work again. If its name is taken, it gets another one, such as `production (2)`. If its base is gone, or can no longer be its base, it comes back without one.",
    input: fields({ id }),
    output: Restored.extend({
      collectionId: z.number(),
      /** It inherited before, and no longer does. */
      isBaseLost: z.boolean(),
    }),
    done: "Environment restored successfully",
  }),
  purgeEnvironment: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "POST",
    path: "/trash/environments/{id}/purge",
    summary: "Deletes an environment in the trash forever. `name` is its name, to confirm.",
    input: fields({ id, name: typedName }),
    output: z.null(),
    done: "Environment deleted forever",
  }),
  emptyEnvironments: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "POST",
    path: "/collections/{id}/trash/empty",
    summary: "Deletes all environments in the collection's trash forever. `name` is the collection's name, to confirm.",
    input: fields({ id, name: typedName }),
    output: z.null(),
    done: "Trash emptied successfully",
  }),
}
