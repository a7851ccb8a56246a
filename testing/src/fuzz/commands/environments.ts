import { type Environment, environments, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { expect } from "vitest"
import {
  type CallContext,
  commandsFor,
  conflicting,
  type Expected,
  expectSame,
  notFound,
  refused,
  unless,
} from "../model/command.ts"
import * as draw from "../model/draw.ts"
import {
  type Account,
  changeItems,
  endKeys,
  environmentsOf,
  learnId,
  type Model,
  type ModelEnvironment,
  nextRevision,
  stateOf,
} from "../model/model.ts"
import { type Fault, itemNameFaults, nameFaults, valueFaults } from "../model/text-rules.ts"
import { environmentView, summaryView, wholeView } from "../model/views.ts"

const taken = refused(409, "This collection already has an environment with that name")
/** How many revisions ago the environment was read; usually not sent. */
const seen = fc.option(fc.nat(2), { freq: 3 })
const missing = notFound("Environment")
const missingCollection = notFound("Collection")
const picked = fc.record({ at: draw.picked })
const idOf = ({ model, account }: CallContext, at: draw.Picked) => draw.resolve(model, account, "environment", at)

export const findEnvironment = (account: Account, id: number | undefined) =>
  environmentsOf(account).find(({ environment }) => environment.id === id)

export const environmentsCommands = {
  get: commandsFor(environments.get, {
    draw: picked,
    request: (context, { at }) => ({ id: idOf(context, at) }),
    expected({ account }, _, { id }) {
      const found = findEnvironment(account, id)
      return found ? { data: () => environmentView(found.collection.id, found.environment) } : missing
    },
  }),

  listOfCollection: commandsFor(environments.listOfCollection, {
    draw: picked,
    request: ({ model, account }, { at }) => ({ id: draw.resolve(model, account, "collection", at) }),
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      return collection ? { data: () => wholeView(collection) } : missingCollection
    },
  }),

  create: commandsFor(environments.create, {
    draw: fc.record({ at: draw.picked, name: draw.name }),
    request: ({ model, account }, { at, name }) => ({
      body: { name, collectionId: draw.resolve(model, account, "collection", at) },
    }),
    expected: ({ model, account }, { name, at }) =>
      unless(nameFaults(name, "Environment name is required"), () => {
        const collection = account.collections.get(draw.resolve(model, account, "collection", at))
        if (collection === undefined) return missingCollection
        if ([...collection.environments.values()].some((one) => one.name === name.trim())) return taken
        return {
          data(data) {
            const { id, revision } = data as Environment
            expect(revision).toBeGreaterThan(0)
            learnId(model, "environment", id)
            const environment: ModelEnvironment = {
              id,
              name: name.trim(),
              revision,
              items: new Map(),
              keys: new Map(),
              states: new Map([[revision, new Map()]]),
              writes: new Map(),
              historyBytes: 0,
            }
            collection.environments.set(id, environment)
            return environmentView(collection.id, environment)
          },
        }
      }),
  }),

  rename: commandsFor(environments.rename, {
    draw: fc.record({ at: draw.picked, name: draw.name, seen }),
    request(context, { at, name, seen }) {
      const id = idOf(context, at)
      const current = context.account && findEnvironment(context.account, id)?.environment.revision
      return { id, body: { name, ...(seen === null ? {} : { revision: Math.max(1, (current ?? 1) - seen) }) } }
    },
    expected: ({ account }, { name }, { id, body }) =>
      unless(nameFaults(name), () => {
        const found = findEnvironment(account, id)
        if (found === undefined) return missing
        const { collection, environment } = found
        const { revision = environment.revision } = body as { revision?: number }
        const { renamedAt = 0 } = environment
        if (environment.name !== name.trim() && renamedAt > revision) {
          return conflicting(sentences.renamedMeanwhile, [
            { id: environment.id, name: environment.name, revision: renamedAt },
          ])
        }
        const others = [...collection.environments.values()].filter((one) => one !== environment)
        if (others.some((one) => one.name === name.trim())) return taken
        return {
          data() {
            if (environment.name !== name.trim()) {
              nextRevision(environment)
              environment.renamedAt = environment.revision
            }
            environment.name = name.trim()
            return summaryView(collection.id, environment)
          },
        }
      }),
  }),

  remove: commandsFor(environments.remove, {
    weight: 1,
    draw: picked,
    request: (context, { at }) => ({ id: idOf(context, at) }),
    expected({ model, account }, _, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      return {
        data() {
          endKeys(model, [found.environment])
          found.collection.environments.delete(found.environment.id)
          found.collection.trash.push({ entry: found.environment, by: account.username })
          return null
        },
      }
    },
  }),

  saveAll: commandsFor(environments.saveAll, {
    weight: 6,
    draw: fc.record({
      at: draw.picked,
      /** Saving the current list unchanged is a separate case, since it would hardly be drawn by chance. */
      lines: fc.oneof(
        {
          weight: 5,
          arbitrary: fc.array(draw.line, { maxLength: 8, size: "max" }),
        },
        { weight: 1, arbitrary: fc.constant("as they are" as const) },
      ),
      seen,
    }),
    request(context, { at, lines, seen }) {
      const id = idOf(context, at)
      const current = context.account && findEnvironment(context.account, id)?.environment.revision
      const query = seen === null ? "" : `?revision=${Math.max(1, (current ?? 1) - seen)}`
      return { id, body: linesOf(context, id, lines), query }
    },
    expected({ model, account }, _, { id, body, query }) {
      const lines = body as Line[]
      const wanted = lines.filter(({ name }) => name.trim() !== "")
      return unless(listFaults(lines), (): Expected => {
        const found = findEnvironment(account, id)
        if (found === undefined) return missing
        const { collection, environment } = found
        const revision = query ? Number(query.slice("?revision=".length)) : environment.revision
        if (revision !== environment.revision) {
          const later = [...environment.items.values()].filter((item) => item.revision > revision)
          return conflicting(sentences.changedMeanwhile, later)
        }
        const values = new Map(wanted.map(({ name, value }) => [name.trim(), value]))
        return {
          data() {
            saveAll(environment, values)
            return { ...summaryView(collection.id, environment), itemCount: values.size }
          },
          after: async (read) => {
            learnItems(model, environment, values, (await read(`/subcollection/${id}`)) as Environment)
            expectSame(await read(`/subcollection/${id}`), environmentView(collection.id, environment))
          },
        }
      })
    },
  }),
}

interface Line {
  name: string
  value: string
}

function linesOf({ account }: CallContext, id: number, lines: Line[] | "as they are"): Line[] {
  if (lines !== "as they are") return lines
  const items = account && findEnvironment(account, id)?.environment.items.values()
  return items ? [...items].map(({ name, value }) => ({ name, value })) : []
}

function listFaults(lines: Line[]): Fault[] {
  const faulty = lines.findIndex(
    ({ name, value }) => name.trim() !== "" && [...itemNameFaults(name), ...valueFaults(value)].length > 0,
  )
  if (faulty >= 0) return [new RegExp(`^Item ${faulty + 1}: `)]
  return lines.every(({ name }) => name.trim() === "") ? ["No data found"] : []
}

/** Same names keep their ids, missing names are deleted, and saving the current list is not a change. */
function saveAll(environment: ModelEnvironment, values: Map<string, string>): void {
  const current = new Map([...environment.items.values()].map((item) => [item.name, item]))
  changeItems(
    environment,
    () => {
      for (const item of current.values()) {
        const value = values.get(item.name)
        if (value === undefined) environment.items.delete(item.id)
        else item.value = value
      }
    },
    values,
  )
}

/** The answer contains no ids, so those of new names are learned by reading the environment, which is then compared. */
function learnItems(model: Model, environment: ModelEnvironment, values: Map<string, string>, seen: Environment): void {
  const current = new Set([...environment.items.values()].map(({ name }) => name))
  for (const { id, name } of seen.collectionItems) {
    const value = values.get(name)
    if (current.has(name) || value === undefined) continue
    environment.items.set(learnId(model, "item", id), { id, name, value, revision: environment.revision })
  }
  environment.states.set(environment.revision, stateOf(environment.items.values()))
}
