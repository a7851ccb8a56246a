import { type Kind, kinds } from "@envkeep/formats"
import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { longList } from "./long-list.ts"
import { sentences } from "./sentences.ts"
import { description, fields, id, itemName, queried, text } from "./text.ts"

/** What is known about a name, in all environments of a collection. Nothing is refused because of it. */
export const About = z.object({
  name: z.string(),
  description: z.string(),
  /** Every environment should have it. */
  isRequired: z.boolean(),
  /** Otherwise the screens show its values unmasked. */
  isSecret: z.boolean(),
  kind: z.enum(kinds),
  /** For the kind `choice`: what a value can be. Empty for the others. */
  choices: z.array(z.string()),
  /** Text for readers, which everyone with access to the collection sees. Never a value. */
  example: z.string(),
})
export type About = z.output<typeof About>

/** Which names an environment sets itself. It also has those of what it inherits from. */
export const EnvironmentNames = z.object({
  id: z.number(),
  name: z.string(),
  revision: z.number(),
  isProtected: z.boolean(),
  /** The environment that it inherits from. */
  baseId: z.number().nullable(),
  names: z.array(z.string()),
})
export type EnvironmentNames = z.output<typeof EnvironmentNames>

/** What holds for a name that no one has described. */
export function notDescribed(name: string): About {
  return { name, description: "", isRequired: false, isSecret: true, kind: "text", choices: [], example: "" }
}

const choice = text({ label: "A choice", max: limits.choice, trim: false })

const choices = z
  .array(choice, { error: "Choices must be a list of texts" })
  .max(limits.choicesPerName, sentences.tooManyChoices)
  .refine((list) => !list.includes(""), "A choice cannot be empty")
  .refine((list) => new Set(list).size === list.length, "Two choices are the same")

const name = itemName("Name is required")

/** Fields that are not sent stay as they are. */
const described = {
  name,
  description: description.optional(),
  isRequired: z.boolean({ error: "Required must be true or false" }).optional(),
  isSecret: z.boolean({ error: "Secret must be true or false" }).optional(),
  kind: z.enum(kinds as readonly Kind[], { error: `Kind must be one of ${kinds.join(", ")}` }).optional(),
  choices: choices.optional(),
  example: text({ label: "Example", max: limits.example, trim: false }).optional(),
}

const list = longList({
  line: fields(described),
  error: "The body must be a list of { name, description, … }",
  max: limits.namesPerSave,
  tooLong: sentences.tooManyNamesAtOnce,
  together(all, context) {
    const seen = new Set<string>()
    for (const [index, { name }] of all.entries()) {
      if (seen.has(name)) context.addIssue({ code: "custom", message: sentences.describedTwice, path: [index] })
      seen.add(name)
    }
  },
})

export const names = {
  list: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/names",
    summary: "The described names of a collection, sorted by name.",
    input: fields({ id }),
    output: z.array(About),
    done: "OK",
  }),
  describe: call({
    access: "user",
    level: "editor",
    method: "PUT",
    path: "/collections/{id}/names",
    summary:
      "Describes a name, in all environments of a collection, whether they have it or not. Fields that are not sent stay as they are.",
    input: fields({ id, ...described }),
    output: About,
    done: "Description saved",
    bodyBytes: limits.itemBodyBytes,
  }),
  describeMany: call({
    access: "user",
    level: "editor",
    method: "POST",
    path: "/collections/{id}/names",
    summary: "Describes many names, all or none. Fields that are not sent stay as they are.",
    input: fields({ id, names: list.schema }),
    output: z.null(),
    done: "Descriptions saved",
    body: "names",
    bodyInSteps: list.inSteps,
    bodyBytes: limits.bulkBodyBytes,
    // Each name, its fields and its choices.
    bodyParts: (8 + limits.choicesPerName) * limits.namesPerSave,
  }),
  remove: call({
    access: "user",
    level: "editor",
    method: "DELETE",
    path: "/collections/{id}/names",
    summary: "Removes the description of a name. Items with that name stay as they are.",
    input: fields({ id, name }),
    output: z.null(),
    done: "Description removed",
  }),
  inEnvironments: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/environment-names",
    summary:
      "Which names each environment of a collection sets itself, sorted. Never a value, whatever the caller may see.",
    input: fields({ id }),
    output: z.array(EnvironmentNames),
    done: "OK",
  }),
  example: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/env-example",
    summary:
      "The text of a `.env.example`: names, descriptions as comments, examples, never values. Of all names that are described or that an environment has; with `environmentId`, of those that this environment has or should have.",
    input: fields({ id, environmentId: queried(id).optional() }),
    output: z.object({ text: z.string() }),
    done: "OK",
  }),
}
