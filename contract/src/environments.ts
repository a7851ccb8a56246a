import { z } from "zod"
import { ApiKey } from "./api-keys.ts"
import { call } from "./call.ts"
import { Item } from "./items.ts"
import { limits } from "./limits.ts"
import { faulty, quickList } from "./long-list.ts"
import { sentences } from "./sentences.ts"
import {
  fields,
  id,
  isItemName,
  isItemValue,
  itemName,
  itemValue,
  name,
  note,
  queried,
  queriedFlag,
  revision,
  shown,
} from "./text.ts"

/** An environment in a list: without values and keys. */
export const EnvironmentSummary = z.object({
  id: z.number(),
  name: shown,
  collectionId: z.number(),
  /** Goes up by one with every change to the environment's name, base or items, and to items that it inherits. */
  revision: z.number(),
  /** Without those that it inherits. */
  itemCount: z.number(),
  /** Only maintainers and owners see its values and API keys. */
  isProtected: z.boolean(),
  /** The environment that it inherits from: what it does not set itself comes from there. */
  baseId: z.number().nullable(),
})
export type EnvironmentSummary = z.output<typeof EnvironmentSummary>

export const Environment = EnvironmentSummary.extend({
  /** Whether the caller's role shows names only: then every value is null, and there are no API keys. */
  valuesHidden: z.boolean(),
  collectionItems: z.array(Item),
  apiKeys: z.array(ApiKey),
})
export type Environment = z.output<typeof Environment>

/** A variable that an environment does not set itself. */
export const InheritedItem = z.object({
  name: z.string(),
  /** Null if the caller may not see it, or if the stored row is damaged. */
  value: z.string().nullable(),
  /** The environment that sets it: the base, or one above it. */
  environmentId: z.number(),
})
export type InheritedItem = z.output<typeof InheritedItem>

export const EnvironmentWithInherited = Environment.extend({
  /** Readers get these together with `collectionItems`. */
  inherited: z.array(InheritedItem),
})
export type EnvironmentWithInherited = z.output<typeof EnvironmentWithInherited>

type WithItems = Pick<Environment, "id" | "baseId" | "collectionItems">

/**
 * What an environment inherits, by name, from the environments of its collection. Lists of environments leave it out:
 * everything in it is already there once.
 */
export function inheritedItems(environment: Environment, environments: Iterable<WithItems>): InheritedItem[] {
  const inherited: InheritedItem[] = []
  for (const item of inheritedInSteps(environment, environments)) {
    if (item === undefined) continue
    const { name, value, subCollectionId: environmentId } = item
    inherited.push({ name, value: environment.valuesHidden ? null : value, environmentId })
  }
  return inherited
}

/**
 * The items themselves, in steps, one for each that is looked at, inherited or not. There may be tens of thousands, and
 * the server has other work to do between two of them. No value is read: the server opens it each time.
 */
export function* inheritedInSteps(
  environment: WithItems,
  environments: Iterable<WithItems>,
): Generator<Item | undefined> {
  if (environment.baseId === null) return
  const byId = new Map(Array.from(environments, (one) => [one.id, one]))
  const taken = new Set<string>()
  for (const { name } of environment.collectionItems) {
    taken.add(name)
    yield undefined
  }
  let baseId: number | null = environment.baseId
  for (let level = 0; baseId !== null && level < limits.inheritanceLevels; level++) {
    const base = byId.get(baseId)
    for (const item of base?.collectionItems ?? []) {
      const isTaken = taken.has(item.name)
      if (!isTaken) taken.add(item.name)
      yield isTaken ? undefined : item
    }
    baseId = base?.baseId ?? null
  }
}

/** The data of a 409 because of what inherits from an environment, by id. */
export const Heirs = z.object({ heirs: z.array(z.object({ id: z.number(), name: shown })) })
export type Heirs = z.output<typeof Heirs>

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
const bulkItems = quickList({
  error: "The body must be a list of { name, value }",
  items: bulkItemShape,
  *check(lines) {
    if (lines.length > limits.bulkLines) return faulty(sentences.listTooLong)
    const items = new Map<string, BulkItem>()
    for (const [index, line] of lines.entries()) {
      const item = asBulkItem(line)
      if (item !== undefined) items.set(item.name, item)
      else if (!isNameless(line)) return faulty(faultOf(line), [index])
      yield
    }
    if (items.size === 0) return faulty("No data found")
    if (items.size > limits.itemsPerEnvironment) return faulty(sentences.environmentFull)
    return { list: [...items.values()] }
  },
})

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

const copiedName = itemName("Name is required")

/** Once each, in the order in which they were sent. A fault is reported with the position of its name. */
const copiedNames = quickList({
  error: "The body must be a list of names",
  items: { type: "string" },
  *check(sent) {
    const names = new Set<string>()
    for (const [index, one] of sent.entries()) {
      const trimmed = typeof one === "string" ? one.trim() : undefined
      if (trimmed === undefined || !isItemName(trimmed)) {
        return faulty(copiedName.safeParse(one).error?.issues[0]?.message ?? "Invalid name", [index])
      }
      names.add(trimmed)
      yield
    }
    if (names.size === 0) return faulty("No data found")
    if (names.size > limits.itemsPerEnvironment) return faulty(sentences.tooManyNamesToCopy)
    return { list: [...names] }
  },
})

/** What a new environment begins with. */
const from = fields({
  environmentId: id,
  what: z.enum(["values", "names", "inherit"], { error: "What is taken must be values, names or inherit" }),
})

export const CopyResult = EnvironmentSummary.extend({
  /** How many items were added or changed. The others had the same value already. */
  copied: z.number(),
  /** How many were left out, because their stored rows are damaged. */
  damaged: z.number(),
})
export type CopyResult = z.output<typeof CopyResult>

export const environments = {
  get: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/subcollection/{id}",
    summary: "One environment with its items, what it inherits, and its API keys.",
    input: fields({ id }),
    output: EnvironmentWithInherited,
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
    summary:
      "Adds an environment to a collection. With `from`, it begins with the `values` of another one, inherited ones included, with its `names` and empty values, or it is to `inherit` from it. With values of a protected environment it is protected too.",
    input: fields({ name: name("Environment name is required"), collectionId: id, from: from.optional() }),
    output: Environment.extend({
      /** How many items of the other environment were left out, because their stored rows are damaged. */
      damaged: z.number(),
    }),
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
  protect: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/environments/{id}/protection",
    summary:
      "Protects an environment, so that only maintainers and owners see its values and API keys, or ends that. What inherits from a protected environment must be protected too: `withHeirs` protects it in the same step, otherwise the call is refused.",
    input: fields({
      id,
      isProtected: z.boolean({ error: "Protection must be true or false" }),
      withHeirs: z.boolean({ error: "Whether heirs are protected too must be true or false" }).optional(),
    }),
    output: EnvironmentSummary,
    done: "Protection changed successfully",
  }),
  rebase: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/environments/{id}/base",
    summary:
      "Makes an environment inherit from another one of its collection, or, with null, from none. With a `revision`, only if it got no other base since.",
    input: fields({ id, baseId: id.nullable(), revision: revision.optional() }),
    output: EnvironmentSummary,
    done: "Base changed successfully",
  }),
  remove: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: "/subcollection/{id}",
    summary:
      "Moves an environment to the trash. Its API keys stop working. If others inherit from it, `copyDown` in the query must say whether its values are copied into them first; from then on they inherit from its base.",
    input: fields({
      id,
      copyDown: queriedFlag("Whether values are copied down must be true or false").optional(),
    }),
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
    input: fields({ id, items: bulkItems.schema, revision: queried(revision).optional(), note }),
    output: EnvironmentSummary,
    done: "Bulk save successfull",
    body: "items",
    bodyInSteps: bulkItems.inSteps,
    bodyBytes: limits.bulkBodyBytes,
    // Each line and its two fields.
    bodyParts: 3 * limits.bulkLines,
  }),
  copy: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/environments/{id}/copy",
    summary:
      "Gives these names the values that they have in the environment `from` of the same collection, inherited ones included, in one revision that names its source. Other items stay as they are. What the environment has already, or inherits, is not written. With a `revision`, only if the environment still has that one; with a `sourceRevision`, only if the other one still has that.",
    input: fields({
      id,
      from: queried(id),
      names: copiedNames.schema,
      revision: queried(revision).optional(),
      sourceRevision: queried(revision).optional(),
      note,
    }),
    output: CopyResult,
    done: "Items copied successfully",
    body: "names",
    bodyInSteps: copiedNames.inSteps,
    bodyBytes: limits.bulkBodyBytes,
    // A name may be there twice.
    bodyParts: limits.bulkLines,
  }),
}
