import { z } from "zod"
import { call } from "./call.ts"
import { Environment, EnvironmentSummary } from "./environments.ts"
import { description, fields, id, name } from "./text.ts"

const CollectionFields = z.object({
  id: z.number(),
  name: z.string(),
  description: z.string(),
  /** When anything but its API keys last changed, in ISO 8601. Null if that was before the server recorded it. */
  changedAt: z.string().nullable(),
})

/** What the dashboard shows: environments without values and keys. */
export const CollectionSummary = CollectionFields.extend({ subCollections: z.array(EnvironmentSummary) })
export type CollectionSummary = z.output<typeof CollectionSummary>

export const Collection = CollectionFields.extend({ subCollections: z.array(Environment) })
export type Collection = z.output<typeof Collection>

/** The data of `live`'s events `state` and `list`, then that of `environment`. */
export const LiveState = z.object({ environments: z.array(z.object({ id: z.number(), revision: z.number() })) })
export type LiveState = z.output<typeof LiveState>
export const LiveEnvironment = z.object({
  id: z.number(),
  revision: z.number(),
  /** The username at that time; null for the server itself, and if the history does not know. */
  by: z.string().nullable(),
  /** ISO 8601; null if the history does not know. */
  at: z.string().nullable(),
})
export type LiveEnvironment = z.output<typeof LiveEnvironment>

export const collections = {
  list: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collection",
    summary: "The caller's collections by id, with summaries of their environments.",
    input: fields({}),
    output: z.array(CollectionSummary),
    done: "OK",
  }),
  get: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collection/{id}",
    summary: "One collection with its environments, their items and API keys.",
    input: fields({ id }),
    output: Collection,
    done: "OK",
  }),
  live: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/live",
    summary:
      "Server-sent events: `state` with the revisions of the collection's environments at once, then `environment` with the new revision, who made it and when, `list` with all revisions when environments were added or deleted, or API keys or the collection itself have changed, `gone` when the session or the access ends. No values.",
    input: fields({ id }),
    output: z.string(),
    done: "OK",
    plain: true,
  }),
  create: call({
    access: "user",
    method: "POST",
    path: "/collection",
    summary: "Creates a collection.",
    input: fields({ name: name("Name is required"), description: description.default("") }),
    output: CollectionSummary,
    done: "Collection created",
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
    method: "DELETE",
    path: "/collection/{id}",
    summary: "Moves a collection to the trash. Its API keys stop working.",
    input: fields({ id }),
    output: z.null(),
    done: "Collection deleted successfully",
  }),
}
