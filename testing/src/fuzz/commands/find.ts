import { find, type InputOf } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import { commandsFor } from "../model/command.ts"
import { type Picked, picked, resolve } from "../model/draw.ts"
import { field } from "../model/field.ts"
import type { Account } from "../model/model.ts"
import { byId } from "../model/views.ts"

type Input = InputOf<typeof find.byName>

const firstCollection = field<Picked | undefined, number | undefined>({
  draw: fc.option(picked, { nil: undefined }),
  sent: ({ model, account }, at) => at && resolve(model, account, "collection", at),
})

export const findCommands = {
  byName: commandsFor(find.byName, {
    // With the name of a variable, or where a list goes on, is tested elsewhere.
    fields: { collectionId: firstCollection, name: fc.constant(undefined) },
    data: ({ account, input }) => foundView(account, input),
  }),
}

interface Named {
  name: string
  collectionId: number
  /** Of what it is in. */
  places: string[]
}

function foundView(account: Account, input: Input) {
  const collections = byId(account.collections.values())
  const environments = collections.flatMap((collection) =>
    byId(collection.environments.values()).map((environment) => ({ collection, environment })),
  )
  const variables = environments.flatMap(({ collection, environment }) =>
    Array.from(environment.items.values(), ({ name }) => name)
      .sort()
      .map((name) => ({
        name,
        collectionId: collection.id,
        places: [collection.name, environment.name],
        row: {
          name,
          environmentId: environment.id,
          environmentName: environment.name,
          collectionId: collection.id,
          collectionName: collection.name,
        },
      })),
  )
  return {
    collections: best(
      input,
      collections.map(({ id, name }) => ({ name, collectionId: id, places: [], row: { id, name } })),
    ),
    environments: best(
      input,
      environments.map(({ collection, environment: { id, name } }) => ({
        name,
        collectionId: collection.id,
        places: [collection.name],
        row: { id, name, collectionId: collection.id, collectionName: collection.name },
      })),
    ),
    variables: best(input, variables, input.grouped),
  }
}

function best<Row extends object>({ text, collectionId }: Input, all: (Named & { row: Row })[], grouped = false) {
  const rank = (named: Named) => rankOf(text.trim(), named)
  const found = all.filter((named) => rank(named) !== undefined)
  const isElsewhere = (named: Named) => Number(named.collectionId !== collectionId)
  const compare = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  const byName = (one: Named, other: Named) => compare(one.name, other.name)
  // As they were added: the sort is stable.
  const sorted = (grouped ? found.toSorted(byName) : found).toSorted(
    (one, other) =>
      isElsewhere(one) - isElsewhere(other) ||
      (rank(one) ?? 0) - (rank(other) ?? 0) ||
      compare(lower(one.name), lower(other.name)),
  )
  const listed = grouped
    ? [...Map.groupBy(sorted, ({ name }) => name).values()].map((same) => ({ ...same[0]?.row, places: same.length }))
    : sorted.map(({ row }) => row)
  return { total: found.length, best: listed.slice(0, 20), ...(listed.length > 20 && { next: expect.any(String) }) }
}

function rankOf(text: string, { name, places }: Named): number | undefined {
  const [sought, own] = [lower(text), lower(name)]
  if (own === sought) return 0
  if (own.includes(sought)) return own.startsWith(sought) ? 1 : 2
  const words = sought.split(/\s+/).filter((word) => word !== "" && word !== "/")
  const isInOwn = (word: string) => own.includes(word)
  if (words.length > 0 && words.every(isInOwn)) return 3
  const isInPlace = (word: string) => places.some((place) => lower(place).includes(word))
  const isFound = words.some(isInOwn) && words.every((word) => isInOwn(word) || isInPlace(word))
  return isFound ? 4 : undefined
}

const lower = (text: string) => text.toLowerCase().replaceAll("ς", "σ")
