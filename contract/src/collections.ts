import { z } from "zod"
import { call } from "./call.ts"
import { Environment, EnvironmentSummary } from "./environments.ts"
import { firstCalls } from "./first-calls.ts"
import { heldTagsHeaderName } from "./held-tags.ts"
import { levels } from "./roles.ts"
import { description, fields, id, name, queriedFlag, shown } from "./text.ts"

const CollectionFields = z.object({
  id: z.number(),
  name: shown,
  description: z.string(),
  /** When anything but its API keys last changed, in ISO 8601. Null if that was before the server recorded it. */
  changedAt: z.string().nullable(),
  /** What the caller is in it. */
  role: z.enum(levels),
})

/** What the dashboard shows: environments without values and keys. */
export const CollectionSummary = CollectionFields.extend({ subCollections: z.array(EnvironmentSummary) })
export type CollectionSummary = z.output<typeof CollectionSummary>

export const Collection = CollectionFields.extend({ subCollections: z.array(Environment) })
export type Collection = z.output<typeof Collection>

/** An environment for a caller that says which tags it holds. */
export const TaggedEnvironment = Environment.extend({
  /** Stands for all that is shown of the environment: with any change, it is another one. */
  tag: z.string().optional(),
  /** The caller holds the items as they are, so they are left out. */
  sameItems: z.literal(true).optional(),
})
export type TaggedEnvironment = z.output<typeof TaggedEnvironment>

export const ReloadedCollection = CollectionFields.extend({
  subCollections: z.array(TaggedEnvironment),
  /** The ids of environments that are left out, because the caller holds them as they are. */
  unchanged: z.array(z.number()).optional(),
})
export type ReloadedCollection = z.output<typeof ReloadedCollection>

/** The data of `live`'s events `state` and `list`, then that of `environment`. */
export const LiveState = z.object({
  name: shown,
  description: z.string(),
  /** What the caller is in the collection. It decides, with `isProtected`, which values are shown. */
  role: z.enum(levels),
  environments: z.array(z.object({ id: z.number(), revision: z.number(), isProtected: z.boolean() })),
})
export type LiveState = z.output<typeof LiveState>
export const LiveEnvironment = z.object({
  id: z.number(),
  revision: z.number(),
  /** The username at that time; null for the server itself, and if the history does not know. */
  by: shown.nullable(),
  /** ISO 8601; null if the history does not know. */
  at: z.string().nullable(),
})
export type LiveEnvironment = z.output<typeof LiveEnvironment>

export const collections = {
  list: call({
    ...firstCalls.collections,
    summary: "The caller's collections by id, with summaries of their environments.",
    input: fields({}),
    output: z.array(CollectionSummary),
  }),
  get: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collection/{id}",
    summary: `One collection with its environments, their items and API keys. With \`tagged\` in the query, each environment has a \`tag\`. A caller that sends the tags of what it holds, separated by spaces, in the header \`${heldTagsHeaderName}\` gets what differs, with tags: environments that are the same are listed in \`unchanged\`, and one with \`sameItems\` comes without its items.`,
    input: fields({
      id,
      tagged: queriedFlag("Whether there are tags must be true or false").optional(),
      held: z.string().optional(),
    }),
    inHeader: { held: heldTagsHeaderName },
    output: ReloadedCollection,
    done: "OK",
  }),
  live: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/live",
    summary:
      "Server-sent events: `state` with the collection's name, description and role, and the revision and protection of each environment, at once, then `environment` with the new revision, who made it and when, `list` with the same when environments were added or deleted, or API keys or the collection itself have changed, `instances` when `/collections/{id}/instances` has another answer, for those who may read it, `gone` when the session or the access ends. The `id` of `state` and `list` stands for all that is not in a revision, that of `instances` for that answer. No values.",
    input: fields({ id }),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
  create: call({
    access: "user",
    token: "manage",
    method: "POST",
    path: "/collection",
    summary: "Creates a collection.",
    input: fields({ name: name("Name is required"), description: description.default("") }),
    output: CollectionSummary,
    done: "Collection created",
    status: 201,
  }),
  duplicate: call({
    access: "user",
    level: "viewer",
    token: "manage",
    method: "POST",
    path: "/collections/{id}/duplicate",
    summary:
      "Makes a collection of the caller with the environments of another one: what inherits from what, protection, descriptions of names, and the items with their `values`, or with their `names` only and empty values. API keys, members and history are not copied.",
    input: fields({
      id,
      name: name("Name is required"),
      what: z.enum(["values", "names"], { error: "What is copied must be values or names" }),
    }),
    output: z.object({
      id: z.number(),
      name: shown,
      /** How many items have no value in the copy, because the caller may not see it. */
      hidden: z.number(),
      /** How many were left out, because their stored rows are damaged. */
      damaged: z.number(),
    }),
    done: "Collection duplicated",
    status: 201,
  }),
  update: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/collection/{id}",
    summary: "Changes a collection's name and, where it is sent, its description.",
    input: fields({ id, name: name("Name is required"), description: description.optional() }),
    output: CollectionSummary,
    done: "Collection updated successfully",
  }),
  remove: call({
    access: "user",
    level: "owner",
    confirm: true,
    method: "DELETE",
    path: "/collection/{id}",
    summary: "Moves a collection to the trash. Its API keys stop working.",
    input: fields({ id }),
    output: z.null(),
    done: "Collection deleted successfully",
  }),
}
