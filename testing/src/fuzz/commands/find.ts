import { find } from "@envkeep/contract"
import { commandsFor } from "../model/command.ts"
import type { Account } from "../model/model.ts"
import { byId } from "../model/views.ts"

export const findCommands = {
  byName: commandsFor(find.byName, { data: ({ account, input }) => foundView(account, input.text.trim()) }),
}

function foundView(account: Account, text: string) {
  const collections = byId(account.collections.values())
  const environments = collections.flatMap((collection) =>
    byId(collection.environments.values()).map((environment) => ({ collection, environment })),
  )
  const variables = environments.flatMap(({ collection, environment }) =>
    Array.from(environment.items.values(), ({ name }) => ({
      name,
      environmentId: environment.id,
      environmentName: environment.name,
      collectionId: collection.id,
      collectionName: collection.name,
    })),
  )
  return {
    collections: best(
      text,
      collections.map(({ id, name }) => ({ id, name })),
    ),
    environments: best(
      text,
      environments.map(({ collection, environment: { id, name } }) => ({
        id,
        name,
        collectionId: collection.id,
        collectionName: collection.name,
      })),
    ),
    variables: best(text, variables),
  }
}

function best<Row extends { name: string }>(text: string, rows: Row[]) {
  const found = rows.filter(({ name }) => lower(name).includes(lower(text)))
  const rank = ({ name }: Row) => (lower(name) === lower(text) ? 0 : lower(name).startsWith(lower(text)) ? 1 : 2)
  const byName = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)
  const sorted = found.toSorted((one, other) => rank(one) - rank(other) || byName(lower(one.name), lower(other.name)))
  return { total: found.length, best: sorted.slice(0, 20) }
}

const lower = (text: string) => text.toLowerCase().replaceAll("ς", "σ")
