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
    summary: "Deletes a collection with its environments, items and API keys.",
    input: fields({ id }),
    output: z.null(),
    done: "Collection deleted successfully",
  }),
}
