import { type About, type InputOf, names, sentences } from "@envkeep/contract"
import { parseEnvExample } from "@envkeep/formats"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsAbout, notFound, refused } from "../model/command.ts"
import { description, itemName } from "../model/draw.ts"
import { field } from "../model/field.ts"
import type { ModelCollection } from "../model/model.ts"
import { descriptionFaults, type Fault, itemNameFaults } from "../model/text-rules.ts"

const choices = fc.uniqueArray(fc.constantFrom("a", "b", " "), { maxLength: 2 })
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const lines = fc.array(
  fc.record({
    name: itemName.draw,
    description: optional(description.draw),
    isRequired: optional(fc.boolean()),
    isSecret: optional(fc.boolean()),
    kind: optional(fc.constantFrom("text", "port", "json", "choice")),
    choices: optional(choices),
    example: optional(description.draw),
  }),
  { minLength: 1, maxLength: 3 },
)

type Described = InputOf<typeof names.describeMany>["names"][number]

const nothing = { description: "", isRequired: false, isSecret: true, kind: "text", choices: [], example: "" }

/** Undefined if a choice is left without choices. */
function merged({ described }: ModelCollection, input: Described): About | undefined {
  const name = input.name.trim()
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const about = { ...nothing, ...described.get(name), ...sent, name } as About
  if (about.kind !== "choice") return { ...about, choices: [] }
  return about.choices.length === 0 ? undefined : about
}

const withoutChoices = refused(400, sentences.choicesMissing)

const inOrder = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

export const namesCommands = {
  list: commandsAbout("collection", names.list, {
    data: ({ collection }) => [...collection.described.values()].sort(inOrder),
  }),

  describe: commandsAbout("collection", names.describe, {
    fields: { name: itemName, choices: optional(choices) },
    refusal: ({ collection, input: { id: _, ...input } }) => merged(collection, input) === undefined && withoutChoices,
    data({ collection, input: { id: _, ...input } }) {
      const about = merged(collection, input) as About
      collection.described.set(about.name, about)
      return about
    },
  }),

  describeMany: commandsAbout("collection", names.describeMany, {
    weight: 2,
    fields: { names: lines },
    faults({ names: list }) {
      const isTwice = new Set(list.map(({ name }) => name.trim())).size < list.length
      const faults = list.flatMap(({ name, description = "", example = "" }): Fault[] => [
        ...itemNameFaults(name),
        ...descriptionFaults(description),
        ...descriptionFaults(example),
      ])
      return [...faults, ...(isTwice ? [sentences.describedTwice] : [])].map((fault) => new RegExp(fault))
    },
    refusal: ({ collection, input }) =>
      input.names.some((one) => merged(collection, one) === undefined) && withoutChoices,
    data({ collection, input }) {
      const abouts = input.names.map((one) => merged(collection, one) as About)
      for (const about of abouts) collection.described.set(about.name, about)
    },
  }),

  remove: commandsAbout("collection", names.remove, {
    weight: 2,
    // In a query, nothing else can be sent.
    fields: { name: field({ ...itemName, sent: (_, name) => name.toWellFormed() }) },
    refusal: ({ collection, input }) => !collection.described.has(input.name.trim()) && notFound("Description"),
    data({ collection, input }) {
      collection.described.delete(input.name.trim())
    },
  }),

  inEnvironments: commandsAbout("collection", names.inEnvironments, {
    data({ collection }, environments) {
      for (const { id, names } of environments) {
        const items = [...(collection.environments.get(id)?.items.values() ?? [])]
        expect(names).toEqual(items.map(({ name }) => name).sort())
      }
      return environments
    },
  }),

  example: commandsAbout("collection", names.example, {
    weight: 2,
    data({ collection }, example) {
      const used = [...collection.environments.values()].flatMap(({ items }) => [...items.values()])
      const known = new Set([...used, ...collection.described.values()].map(({ name }) => name))
      for (const { name } of parseEnvExample(example.text)) expect(known).toContain(name)
      return example
    },
  }),
}
