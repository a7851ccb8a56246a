import { z } from "zod"
import { call } from "./call.ts"
import { EnvironmentSummary } from "./environments.ts"
import { fields, id, itemName, note, queried, revision, shown } from "./text.ts"

/** Whether something that was inherited is no longer kept. Then only what is kept is told. */
const isInheritedPruned = z.boolean()

/** A change of an environment: who made it, when and how. */
export const Revision = z.object({
  number: z.number(),
  /** ISO 8601. */
  at: z.string(),
  action: z.string(),
  /** The username at that time; null for the server itself. */
  by: shown.nullable(),
  note: z.string(),
  added: z.number(),
  changed: z.number(),
  removed: z.number(),
  /** The revision that this one restored, or that it was copied from. */
  source: z.number().nullable(),
  /** The environment that it was copied from, with its name at that time. Null if it was not a copy. */
  sourceEnvironment: z.object({ id: z.number(), name: shown }).nullable(),
  /** What it inherited from, and at which revision of that. */
  baseId: z.number().nullable(),
  baseRevision: z.number().nullable(),
})
export type Revision = z.output<typeof Revision>

/** A revision in the list: with what it changed, if that were only a few names. */
export const ListedRevision = Revision.extend({
  names: z.array(
    z.object({
      name: z.string(),
      /** If the item was renamed. */
      previousName: z.string().nullable(),
    }),
  ),
})
export type ListedRevision = z.output<typeof ListedRevision>

/**
 * `damaged`: the stored row does not open. `erased`: its owner removed it for good. `hidden`: the caller's role does not
 * show values. Then the value is null.
 */
export const PastValue = z.object({
  state: z.enum(["set", "removed", "erased", "damaged", "hidden"]),
  value: z.string().nullable(),
  /** When and by whom it was erased. */
  erasedAt: z.string().nullish(),
  erasedBy: shown.nullish(),
  /** The environment that it was inherited from. */
  inheritedFrom: z.number().nullish(),
})
export type PastValue = z.output<typeof PastValue>

const PastItem = PastValue.extend({ name: z.string() })

/** What a name was and what it became. */
export const NameChange = z.object({
  name: z.string(),
  /** If the item was renamed. */
  previousName: z.string().nullable(),
  before: PastValue,
  after: PastValue,
})
export type NameChange = z.output<typeof NameChange>

export const Version = PastValue.extend({
  revision: z.number(),
  /** If the item was renamed. Its earlier values are in the history of that name. */
  previousName: z.string().nullable(),
  at: z.string(),
  by: shown.nullable(),
  action: z.string(),
  note: z.string(),
})
export type Version = z.output<typeof Version>

/** A change of one name, without its value. */
export const NameRevision = Version.pick({
  revision: true,
  previousName: true,
  at: true,
  by: true,
  action: true,
  note: true,
}).extend({ isRemoved: z.boolean() })
export type NameRevision = z.output<typeof NameRevision>

export const history = {
  list: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/environments/{id}/history",
    summary: "The environment's revisions, newest first, 50 at a time; `before` continues after the last one.",
    input: fields({ id, before: queried(revision).optional() }),
    output: z.object({ revisions: z.array(ListedRevision), isWhole: z.boolean() }),
    done: "OK",
  }),
  get: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/environments/{id}/history/{revision}",
    summary: "The environment as it was at a revision, with what it inherited then.",
    input: fields({ id, revision }),
    output: z.object({ revision: Revision, items: z.array(PastItem), isInheritedPruned }),
    done: "OK",
  }),
  changes: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/environments/{id}/history/{revision}/changes",
    summary: "What differs between a revision and an earlier one: `since`, or the one before it.",
    input: fields({ id, revision, since: queried(revision).optional() }),
    output: z.object({ changes: z.array(NameChange), isInheritedPruned }),
    done: "OK",
  }),
  ofItem: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/environments/{id}/item-history",
    summary: "The values that a name had, newest first, 50 at a time; `before` continues after the last one.",
    input: fields({ id, name: itemName("Name is required"), before: queried(revision).optional() }),
    output: z.object({ versions: z.array(Version), isWhole: z.boolean() }),
    done: "OK",
  }),
  ofName: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/environments/{id}/name-history",
    summary:
      "Who changed a name and when, newest first, 50 at a time; `before` continues after the last one. Never a value.",
    input: fields({ id, name: itemName("Name is required"), before: queried(revision).optional() }),
    output: z.object({ changes: z.array(NameRevision), isWhole: z.boolean() }),
    done: "OK",
  }),
  restore: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/environments/{id}/restore",
    summary:
      "Makes the environment hold what it held itself at a revision, under the same ids and so in the same order. Its base stays. This is a new revision. With `current`, only if the environment still has that one.",
    input: fields({ id, revision, current: revision.optional(), note }),
    output: EnvironmentSummary,
    done: "Environment restored successfully",
  }),
  restoreItem: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/environments/{id}/restore-item",
    summary:
      "Gives a name the value that it had at a revision. If it was deleted since, it stands where it stood. With `current`, only if no later revision has changed it.",
    input: fields({ id, name: itemName("Name is required"), revision, current: revision.optional(), note }),
    output: EnvironmentSummary,
    done: "Item restored successfully",
  }),
  erase: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "POST",
    path: "/environments/{id}/erase",
    summary: "Removes an earlier value for good. The entry stays and says who erased it.",
    input: fields({ id, name: itemName("Name is required"), revision }),
    output: z.null(),
    done: "Value erased successfully",
  }),
}
