import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, itemName, shown, text } from "./text.ts"

/** The best of what was found, and how many there are in all. With `next`, there are more. */
const found = <Row extends z.ZodType>(row: Row) =>
  z.object({ total: z.number(), best: z.array(row), next: z.string().optional() })

const FoundCollection = z.object({ id: z.number(), name: shown })
const FoundEnvironment = z.object({
  id: z.number(),
  name: shown,
  collectionId: z.number(),
  collectionName: shown,
})
/** A name is in an environment once, so it needs no id. */
const FoundVariable = z.object({
  name: z.string(),
  environmentId: z.number(),
  environmentName: shown,
  collectionId: z.number(),
  collectionName: shown,
  /** If names are grouped: in how many environments this one was found. The row names the first of them. */
  places: z.number().optional(),
})
export type FoundCollection = z.output<typeof FoundCollection>
export type FoundEnvironment = z.output<typeof FoundEnvironment>
export type FoundVariable = z.output<typeof FoundVariable>

export const Found = z.object({
  collections: found(FoundCollection),
  environments: found(FoundEnvironment),
  variables: found(FoundVariable),
})
export type Found = z.output<typeof Found>

/** Longer than any `next`, which holds a name twice, as JSON. */
const maxNextLength = 8_000

export const find = {
  byName: call({
    access: "user",
    level: "viewer",
    // Not in the address, which proxies log: a secret can be pasted into a search field.
    method: "POST",
    path: "/find",
    summary: `Collections, environments and variables whose names contain the text, in any case, of all collections that the caller reaches. A name is found too if it has one of the text's words, and the names of its environment and collection have the others: \`bill stripe\` finds \`STRIPE_KEY\` in \`billing\`. Up to ${limits.foundPerKind} of each: first those that are equal to the text, then those that begin with it, then the others, each by name. With \`collectionId\`, what is in that collection comes before everything else. With \`grouped\`, a name of several variables is listed once, with the count of its \`places\`; the same call with \`name\` lists them. \`after\` continues a list with its \`next\`, up to ${limits.foundPerPage} at a time, and leaves the other lists empty. No values, and nothing from the trash.`,
    input: fields({
      text: text({ label: "Search text", max: limits.itemName, required: "Search text is required" }),
      collectionId: id.optional(),
      grouped: z.boolean({ error: "Grouped must be true or false" }).optional(),
      name: itemName("Name is required").optional(),
      after: text({ label: "After", max: maxNextLength, trim: false }).optional(),
    }),
    output: Found,
    done: "OK",
  }),
}
