import { z } from "zod"
import { ApiKey } from "./api-keys.ts"
import { call } from "./call.ts"
import { Item } from "./items.ts"
import { limits } from "./limits.ts"
import { sentences } from "./sentences.ts"
import { fields, id, isItemName, isItemValue, itemName, itemValue, name, note, queried, revision } from "./text.ts"

/** An environment in a list: without values and keys. */
export const EnvironmentSummary = z.object({
  id: z.number(),
  name: z.string(),
  collectionId: z.number(),
  /** Goes up by one with every change to the environment's name or items. */
  revision: z.number(),
  itemCount: z.number(),
})
export type EnvironmentSummary = z.output<typeof EnvironmentSummary>

export const Environment = EnvironmentSummary.extend({
  collectionItems: z.array(Item),
  apiKeys: z.array(ApiKey),
})
export type Environment = z.output<typeof Environment>

interface BulkItem {
  name: string
  value: string
}

const bulkItem = fields({ name: itemName("Name is required"), value: itemValue })

const bulkItemShape = {
  type: "object",
  properties: { name: { type: "string" }, value: { type: "string" } },
  required: ["name", "value"],
  additionalProperties: false,
}

/**
 * Lines with a blank name are dropped, and the last of several lines with the same name wins. A fault is reported with the
 * position of its line in what was sent.
 */
const bulkItems = z
  .array(z.unknown(), { error: "The body must be a list of { name, value }" })
  .transform((lines, context) => {
    const refuse = (message: string, path: number[] = []) => {
      context.addIssue({ code: "custom", message, path })
      return z.NEVER
    }
    if (lines.length > limits.bulkLines) return refuse(sentences.listTooLong)
    const items = new Map<string, BulkItem>()
    for (const [index, line] of lines.entries()) {
      const item = asBulkItem(line)
      if (item !== undefined) items.set(item.name, item)
      else if (!isNameless(line)) return refuse(faultOf(line), [index])
    }
    if (items.size === 0) return refuse("No data found")
    if (items.size > limits.itemsPerEnvironment) return refuse(sentences.environmentFull)
    return [...items.values()]
  })
  // Every line has been checked. This only describes them in the API document.
  .pipe(z.custom<BulkItem[]>().meta({ type: "array", items: bulkItemShape }))

/** The line as `bulkItem` would return it, but much faster; undefined if it is refused. */
function asBulkItem(line: unknown): BulkItem | undefined {
  if (typeof line !== "object" || line === null) return undefined
  for (const field in line) if (field !== "name" && field !== "value") return undefined
  const { name, value } = line as Partial<Record<keyof BulkItem, unknown>>
  if (typeof name !== "string" || typeof value !== "string") return undefined
  const trimmed = name.trim()
  return isItemName(trimmed) && isItemValue(value) ? { name: trimmed, value } : undefined
}

function faultOf(line: unknown): string {
  return bulkItem.safeParse(line).error?.issues[0]?.message ?? "Invalid item"
}

function isNameless(line: unknown): boolean {
  if (typeof line !== "object" || line === null) return false
  const { name } = line as { name?: unknown }
  return typeof name === "string" && name.trim() === ""
}

export const environments = {
  get: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/subcollection/{id}",
    summary: "One environment with its items and API keys.",
    input: fields({ id }),
    output: Environment,
    done: "OK",
  }),
  listOfCollection: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/subcollection/all/{id}",
    summary: "All environments of collection `id`, each with its items and API keys.",
    input: fields({ id }),
    output: z.array(Environment),
    done: "OK",
  }),
  create: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: "/subcollection",
    summary: "Adds an environment to a collection.",
    input: fields({ name: name("Environment name is required"), collectionId: id }),
    output: Environment,
    done: "Environment created successfully",
  }),
  rename: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/subcollection/{id}",
    summary: "Renames an environment. With a `revision`, only if it was not renamed since.",
    input: fields({ id, name: name("Name is required"), revision: revision.optional() }),
    output: EnvironmentSummary,
    done: "Environment updated successfully",
  }),
  remove: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: "/subcollection/{id}",
    summary: "Moves an environment to the trash. Its API keys stop working.",
    input: fields({ id }),
    output: z.null(),
    done: "Environment deleted successfully",
  }),
  saveAll: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/subcollection/{id}/bulk",
    summary:
      "Makes the environment hold exactly this list: same names keep their ids, missing names are deleted, the last of duplicate names wins. With a `revision`, only if the environment still has that one.",
    input: fields({ id, items: bulkItems, revision: queried(revision).optional(), note }),
    output: EnvironmentSummary,
    done: "Bulk save successfull",
    body: "items",
    bodyBytes: limits.bulkBodyBytes,
    // Each line and its two fields.
    bodyParts: 3 * limits.bulkLines,
  }),
}
