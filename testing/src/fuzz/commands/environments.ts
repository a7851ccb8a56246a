import { type Environment, environments, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { baseRefusal, handDown, hindered, setBase } from "../model/bases.ts"
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
import { type Line, learnItems, listFaults, saveAll } from "../model/lists.ts"
import {
  type Account,
  allHeirs,
  changeItems,
  effectiveAt,
  endKeys,
  environmentsOf,
  hasChangedSince,
  learnId,
  levelsAbove,
  type ModelEnvironment,
  newEnvironment,
  nextRevision,
  raiseHeirs,
  stateOf,
} from "../model/model.ts"
import { itemNameFaults, nameFaults } from "../model/text-rules.ts"
import { environmentView, summaryView, wholeView, withInheritedView } from "../model/views.ts"

const taken = refused(409, "This collection already has an environment with that name")
/** How many revisions ago the environment was read; usually not sent. */
const seen = fc.option(fc.nat(2), { freq: 3 })
const missing = notFound("Environment")
const missingCollection = notFound("Collection")
const idOf = ({ model, account }: CallContext, at: draw.Picked) => draw.resolve(model, account, "environment", at)

export const findEnvironment = (account: Account, id: number | undefined) =>
  environmentsOf(account).find(({ environment }) => environment.id === id)

export const environmentsCommands = {
  get: commandsFor(environments.get, {
    expected({ account }, _, { id }) {
      const found = findEnvironment(account, id)
      return found ? { data: () => withInheritedView(found.collection.id, found.environment) } : missing
    },
  }),

  listOfCollection: commandsFor(environments.listOfCollection, {
    expected({ account }, _, { id = 0 }) {
      const collection = account.collections.get(id)
      return collection ? { data: () => wholeView(collection) } : missingCollection
    },
  }),

  create: commandsFor(environments.create, {
    draw: fc.record({
      at: draw.picked,
      name: draw.name,
      from: fc.option(
        fc.record({
          index: fc.nat(10),
          what: fc.constantFrom("values" as const, "names" as const, "inherit" as const),
        }),
      ),
    }),
    request({ model, account }, { at, name, from }) {
      const collectionId = draw.resolve(model, account, "collection", at)
      const ids = [...(account?.collections.get(collectionId)?.environments.keys() ?? [])]
      const environmentId = from === null ? undefined : ids[from.index % ids.length]
      if (from === null || environmentId === undefined) return { body: { name, collectionId } }
      return { body: { name, collectionId, from: { environmentId, what: from.what } } }
    },
    expected: ({ model, account }, { name, at }, { body }) =>
      unless(nameFaults(name, "Environment name is required"), () => {
        const collection = account.collections.get(draw.resolve(model, account, "collection", at))
        if (collection === undefined) return missingCollection
        const { from } = body as { from?: { environmentId: number; what: "values" | "names" | "inherit" } }
        const source = collection.environments.get(from?.environmentId ?? 0)
        if ([...collection.environments.values()].some((one) => one.name === name.trim())) return taken
        if (from?.what === "inherit" && source !== undefined && levelsAbove(source) === 4) {
          return refused(400, sentences.tooManyLevels)
        }
        return {
          data(data) {
            const seen = data as Environment
            const { id } = seen
            learnId(model, "environment", id)
            const environment = newEnvironment({ id, name: name.trim(), revision: 1 })
            collection.environments.set(id, environment)
            environment.isProtected = from !== undefined && from.what !== "names" && source?.isProtected === true
            if (from?.what === "inherit" && source !== undefined) {
              setBase(environment, source)
              environment.bases.set(1, { base: source, revision: source.revision })
            } else if (from !== undefined && source !== undefined) {
              const values = effectiveValues(source)
              if (from.what === "names") for (const copied of values.keys()) values.set(copied, "")
              changeItems(environment, () => undefined, values)
              learnItems(model, environment, values, seen)
            }
            return { ...environmentView(collection.id, environment), damaged: 0 }
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

  protect: commandsFor(environments.protect, {
    weight: 2,
    draw: fc.record({
      at: draw.picked,
      isProtected: fc.boolean(),
      withHeirs: fc.option(fc.boolean(), { nil: undefined }),
    }),
    expected({ account }, { isProtected, withHeirs = false }, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      const { collection, environment } = found
      const heirs = isProtected ? allHeirs(environment).filter((heir) => !heir.isProtected) : []
      if (heirs.length > 0 && !withHeirs) return hindered(sentences.heirsNotProtected(heirs.length), heirs)
      if (!isProtected && environment.isProtected && environment.base?.isProtected) {
        return refused(409, sentences.inheritsFromProtected)
      }
      return {
        data() {
          for (const one of [environment, ...heirs]) one.isProtected = isProtected
          return summaryView(collection.id, environment)
        },
      }
    },
  }),

  rebase: commandsFor(environments.rebase, {
    weight: 8,
    draw: fc.record({
      at: draw.picked,
      /** Mostly another environment of the same collection. */
      base: fc.oneof(
        { weight: 8, arbitrary: fc.record({ index: fc.nat(10) }) },
        { weight: 1, arbitrary: fc.record({ any: draw.picked }) },
        { weight: 2, arbitrary: fc.constant(null) },
      ),
      seen,
    }),
    request(context, { at, base, seen }) {
      const id = idOf(context, at)
      const found = context.account && findEnvironment(context.account, id)
      const revision = seen === null ? undefined : Math.max(1, (found?.environment.revision ?? 1) - seen)
      return { id, body: { baseId: base && baseIdOf(context, id, base), revision } }
    },
    expected({ account }, _, { id, body }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      const { collection, environment } = found
      const { baseId, revision = environment.revision } = body as { baseId: number | null; revision?: number }
      if (baseId === (environment.base?.id ?? null)) return { data: () => summaryView(collection.id, environment) }
      const { rebasedAt = 0 } = environment
      if (rebasedAt > revision) {
        const { id, name } = environment
        return conflicting(sentences.rebasedMeanwhile, [{ id, name, revision: rebasedAt }])
      }
      const base = baseId === null ? null : collection.environments.get(baseId)
      if (base === undefined) return missing
      const refusal = base && baseRefusal(environment, base)
      if (refusal) return refusal
      return {
        data() {
          setBase(environment, base)
          nextRevision(environment)
          environment.rebasedAt = environment.revision
          raiseHeirs(environment)
          return summaryView(collection.id, environment)
        },
      }
    },
  }),

  remove: commandsFor(environments.remove, {
    weight: 2,
    draw: fc.record({ at: draw.picked, copyDown: fc.option(fc.boolean(), { nil: undefined }) }),
    expected({ model, account }, { copyDown }, { id }) {
      const found = findEnvironment(account, id)
      if (found === undefined) return missing
      const { collection, environment } = found
      const heirs = [...environment.heirs]
      if (heirs.length > 0 && copyDown === undefined) {
        const all = allHeirs(environment)
        return hindered(sentences.hasHeirs(all.length), all)
      }
      const copied = new Map(
        Array.from(environment.items.values(), ({ name, value }) => [name, copyDown ? value : undefined] as const),
      )
      return {
        data() {
          endKeys(model, [environment])
          collection.environments.delete(environment.id)
          environment.base?.heirs.delete(environment)
          collection.trash.push({ entry: environment, by: account.username })
          for (const heir of heirs) handDown(heir, environment.base, copied)
          return null
        },
        after: async (read) => {
          for (const heir of heirs) {
            const values = heir.states.get(heir.revision) as Map<string, string>
            learnItems(model, heir, values, (await read(`/subcollection/${heir.id}`)) as Environment)
            expectSame(await read(`/subcollection/${heir.id}`), withInheritedView(collection.id, heir))
          }
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
        if (hasChangedSince(environment, revision)) {
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
            expectSame(await read(`/subcollection/${id}`), withInheritedView(collection.id, environment))
          },
        }
      })
    },
  }),

  copy: commandsFor(environments.copy, {
    weight: 8,
    draw: fc.record({
      at: draw.picked,
      /** Mostly another environment of the same collection. */
      source: fc.oneof(
        { weight: 8, arbitrary: fc.record({ index: fc.nat(10) }) },
        { weight: 1, arbitrary: fc.record({ any: draw.picked }) },
      ),
      names: fc.oneof(
        { weight: 4, arbitrary: fc.constant("all" as const) },
        { weight: 4, arbitrary: fc.nat(10) },
        { weight: 1, arbitrary: fc.array(draw.itemName, { maxLength: 3 }) },
      ),
      seen,
      seenSource: seen,
    }),
    request(context, { at, source, names, seen, seenSource }) {
      const id = idOf(context, at)
      const from = baseIdOf(context, id, source)
      const revisionOf = (one: number) => context.account && findEnvironment(context.account, one)?.environment.revision
      const query = new URLSearchParams({ from: String(from) })
      if (seen !== null) query.set("revision", String(Math.max(1, (revisionOf(id) ?? 1) - seen)))
      if (seenSource !== null) query.set("sourceRevision", String(Math.max(1, (revisionOf(from) ?? 1) - seenSource)))
      return { id, body: copiedNames(context, from, names), query: `?${query}` }
    },
    expected({ model, account }, _, { id, body, query }) {
      const names = (body as string[]).map((name) => name.trim())
      const faulty = (body as string[]).findIndex((name) => itemNameFaults(name).length > 0)
      const faults = faulty >= 0 ? [new RegExp(`^Item ${faulty + 1}: `)] : names.length === 0 ? ["No data found"] : []
      return unless(faults, (): Expected => {
        const sent = new URLSearchParams(query)
        const found = findEnvironment(account, id)
        if (found === undefined) return missing
        const { collection, environment } = found
        if (Number(sent.get("from")) === id) return refused(400, sentences.copiedIntoItself)
        const source = collection.environments.get(Number(sent.get("from")))
        if (source === undefined) return missing
        const sourceRevision = Number(sent.get("sourceRevision") ?? source.revision)
        if (sourceRevision !== source.revision) return refused(409, sentences.sourceChangedMeanwhile)
        const available = effectiveValues(source)
        if (names.some((name) => !available.has(name))) return refused(404, sentences.nameNotInSource)
        const revision = Number(sent.get("revision") ?? environment.revision)
        if (hasChangedSince(environment, revision)) {
          const later = [...environment.items.values()].filter((item) => item.revision > revision)
          return conflicting(sentences.changedMeanwhile, later)
        }
        const current = effectiveValues(environment)
        const differing = [...new Set(names)].filter((name) => current.get(name) !== available.get(name))
        const values = new Map(stateOf(environment.items.values()) as Map<string, string>)
        for (const name of differing) values.set(name, available.get(name) ?? "")
        return {
          data() {
            saveAll(environment, values)
            const summary = { ...summaryView(collection.id, environment), itemCount: values.size }
            return { ...summary, copied: differing.length, damaged: 0 }
          },
          after: async (read) => {
            learnItems(model, environment, values, (await read(`/subcollection/${id}`)) as Environment)
            expectSame(await read(`/subcollection/${id}`), withInheritedView(collection.id, environment))
          },
        }
      })
    },
  }),
}

function copiedNames({ account }: CallContext, from: number, names: "all" | number | string[]): string[] {
  if (typeof names === "object") return names
  const source = account && findEnvironment(account, from)?.environment
  const all = source === undefined ? [] : [...effectiveValues(source).keys()]
  if (names === "all") return all
  const [one = "A"] = all.slice(names % (all.length || 1))
  return [one]
}

/** What readers of an environment get now. */
function effectiveValues(environment: ModelEnvironment): Map<string, string> {
  const { items } = effectiveAt(environment, environment.revision)
  return new Map(Array.from(items.values(), ({ name, value }) => [name, value ?? ""]))
}

function linesOf({ account }: CallContext, id: number, lines: Line[] | "as they are"): Line[] {
  if (lines !== "as they are") return lines
  const items = account && findEnvironment(account, id)?.environment.items.values()
  return items ? [...items].map(({ name, value }) => ({ name, value })) : []
}

function baseIdOf(context: CallContext, id: number, base: { index: number } | { any: draw.Picked }): number {
  if ("any" in base) return idOf(context, base.any)
  const found = context.account && findEnvironment(context.account, id)
  const ids = [...(found?.collection.environments.keys() ?? [])]
  return ids[base.index % ids.length] ?? id
}
