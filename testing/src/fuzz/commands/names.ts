import { type About, names, type OutputOf, sentences } from "@envkeep/contract"
import { parseEnvExample } from "@envkeep/formats"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor, notFound, refused, unless } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import type { ModelCollection } from "../model/model.ts"
import { descriptionFaults, type Fault, itemNameFaults } from "../model/text-rules.ts"

const missing = notFound("Collection")
const optional = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const drawn = fc.record({
  name: draw.itemName,
  description: optional(draw.description),
  isRequired: optional(fc.boolean()),
  isSecret: optional(fc.boolean()),
  kind: optional(fc.constantFrom("text", "port", "json", "choice")),
  choices: optional(fc.uniqueArray(fc.constantFrom("a", "b", " "), { maxLength: 2 })),
  example: optional(draw.description),
})
type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never

function faultsOf({ name, description = "", example = "" }: Drawn): Fault[] {
  return [...itemNameFaults(name), ...descriptionFaults(description), ...descriptionFaults(example)]
}

const nothing = { description: "", isRequired: false, isSecret: true, kind: "text", choices: [], example: "" }

/** Undefined if a choice is left without choices. */
function merged({ described }: ModelCollection, input: Drawn): About | undefined {
  const name = input.name.trim()
  const sent = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const about = { ...nothing, ...described.get(name), ...sent, name } as About
  if (about.kind !== "choice") return { ...about, choices: [] }
  return about.choices.length === 0 ? undefined : about
}

const inOrder = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1)

export const namesCommands = {
  list: commandsFor(names.list, {
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      return collection ? { data: () => [...collection.described.values()].sort(inOrder) } : missing
    },
  }),

  describe: commandsFor(names.describe, {
    draw: fc.record({ at: draw.picked, body: drawn }),
    request: ({ model, account }, { at, body }) => ({ id: draw.resolve(model, account, "collection", at), body }),
    expected: ({ account }, { body }, { id = 0 }) =>
      unless(faultsOf(body), () => {
        const collection = account.collections.get(id)
        if (collection === undefined) return missing
        const about = merged(collection, body)
        if (about === undefined) return refused(400, sentences.choicesMissing)
        return {
          data() {
            collection.described.set(about.name, about)
            return about
          },
        }
      }),
  }),

  describeMany: commandsFor(names.describeMany, {
    weight: 2,
    draw: fc.record({ at: draw.picked, names: fc.array(drawn, { minLength: 1, maxLength: 3 }) }),
    expected({ account }, { names: list }, { id = 0 }) {
      const isTwice = new Set(list.map(({ name }) => name.trim())).size < list.length
      const faults = list.flatMap(faultsOf).map((fault) => (typeof fault === "string" ? new RegExp(fault) : fault))
      return unless(isTwice ? [...faults, new RegExp(sentences.describedTwice)] : faults, () => {
        const collection = account.collections.get(id)
        if (collection === undefined) return missing
        const abouts = list.map((input) => merged(collection, input))
        if (abouts.includes(undefined)) return refused(400, sentences.choicesMissing)
        return {
          data() {
            for (const about of abouts) if (about !== undefined) collection.described.set(about.name, about)
            return null
          },
        }
      })
    },
  }),

  remove: commandsFor(names.remove, {
    weight: 2,
    draw: fc.record({ at: draw.picked, name: draw.itemName }),
    expected: ({ account }, { name }, { id = 0 }) =>
      unless(itemNameFaults(name.toWellFormed()), () => {
        const collection = account.collections.get(id)
        if (collection === undefined) return missing
        if (!collection.described.has(name.toWellFormed().trim())) return notFound("Description")
        return {
          data() {
            collection.described.delete(name.toWellFormed().trim())
            return null
          },
        }
      }),
  }),

  inEnvironments: commandsFor(names.inEnvironments, {
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      if (collection === undefined) return missing
      return {
        data(data) {
          for (const one of data as OutputOf<typeof names.inEnvironments>) {
            const items = [...(collection.environments.get(one.id)?.items.values() ?? [])]
            expect(one.names).toEqual(items.map(({ name }) => name).sort())
          }
          return data
        },
      }
    },
  }),

  example: commandsFor(names.example, {
    weight: 2,
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      if (collection === undefined) return missing
      const used = [...collection.environments.values()].flatMap(({ items }) => [...items.values()])
      const known = new Set([...used, ...collection.described.values()].map(({ name }) => name))
      return {
        data(data) {
          const { text } = data as { text: string }
          for (const { name } of parseEnvExample(text)) expect(known).toContain(name)
          return data
        },
      }
    },
  }),
}
