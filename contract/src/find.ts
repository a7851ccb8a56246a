import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, shown, text } from "./text.ts"

/** The best of what was found, and how many there are in all. */
const found = <Row extends z.ZodType>(row: Row) => z.object({ total: z.number(), best: z.array(row) })

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

export const find = {
  byName: call({
    access: "user",
    level: "viewer",
    // Not in the address, which proxies log: a secret can be pasted into a search field.
    method: "POST",
    path: "/find",
    summary: `Collections, environments and variables whose names contain the text, in any case, of all collections that the caller reaches. Up to ${limits.foundPerKind} of each: first those that are equal to the text, then those that begin with it, then the others, each by name. No values, and nothing from the trash.`,
    input: fields({ text: text({ label: "Search text", max: limits.itemName, required: "Search text is required" }) }),
    output: Found,
    done: "OK",
  }),
}
