import { z } from "zod"
import { ApiKey } from "./api-keys.ts"
import { call } from "./call.ts"
import { Item } from "./items.ts"
import { limits } from "./limits.ts"
import { fields, id, itemName, itemValue, name } from "./text.ts"

/** What a list shows of an environment: no values, no keys. */
export const EnvironmentSummary = z.object({
  id: z.number(),
  name: z.string(),
  collectionId: z.number(),
  /** Raised by one with every change to the environment's name or items. */
  revision: z.number(),
  itemCount: z.number(),
})
export type EnvironmentSummary = z.output<typeof EnvironmentSummary>

export const Environment = EnvironmentSummary.extend({
  collectionItems: z.array(Item),
  apiKeys: z.array(ApiKey),
})
export type Environment = z.output<typeof Environment>

/** A line without a name is no item, whatever else it holds, so its name is looked at before the rules of a name. */
const bulkItems = z
  .array(z.unknown(), { error: "The body must be a list of { name, value }" })
  .transform((lines) => lines.filter((line) => !isNameless(line)))
  .refine((lines) => lines.length > 0, "No data found")
  .pipe(
    z
      .array(fields({ name: itemName("Name is required"), value: itemValue }))
      .max(limits.itemsPerEnvironment, "An environment can hold at most 10,000 items"),
  )

function isNameless(line: unknown): boolean {
  if (typeof line !== "object" || line === null) return false
  const { name } = line as { name?: unknown }
  return name === undefined || name === null || (typeof name === "string" && name.trim() === "")
}

export const environments = {
  get: call({
    access: "user",
    method: "GET",
    path: "/subcollection/{id}",
    summary: "One environment with its items and API keys.",
    input: fields({ id }),
    output: Environment,
    done: "OK",
  }),
  listOfCollection: call({
    access: "user",
    method: "GET",
    path: "/subcollection/all/{id}",
    summary: "All environments of collection `id`, each with its items and API keys.",
    input: fields({ id }),
    output: z.array(Environment),
    done: "OK",
  }),
  create: call({
    access: "user",
    method: "POST",
    path: "/subcollection",
    summary: "Adds an environment to a collection.",
    input: fields({ name: name("Environment name is required"), collectionId: id }),
    output: Environment,
    done: "Environment created successfully",
  }),
  rename: call({
    access: "user",
    method: "PUT",
    path: "/subcollection/{id}",
    summary: "Renames an environment.",
    input: fields({ id, name: name("Name is required") }),
    output: EnvironmentSummary,
    done: "Environment updated successfully",
  }),
  remove: call({
    access: "user",
    method: "DELETE",
    path: "/subcollection/{id}",
    summary: "Deletes an environment with its items and API keys.",
    input: fields({ id }),
    output: z.null(),
    done: "Environment deleted successfully",
  }),
  saveAll: call({
    access: "user",
    method: "POST",
    path: "/subcollection/{id}/bulk",
    summary:
      "Makes the environment hold exactly this list: same names keep their ids, missing names are deleted, the last of duplicate names wins.",
    input: fields({ id, items: bulkItems }),
    output: EnvironmentSummary,
    done: "Bulk save successfull",
    body: "items",
    bodyBytes: limits.bulkBodyBytes,
  }),
}
