import { environments, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { baseRefusal, handDown, hindered, setBase } from "../model/bases.ts"
import { commandsAbout, conflicting, notFound, refused } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import { field, type RequestContext } from "../model/field.ts"
import { expectSaved, laterItems, learnItems, listFaults, namesFaults, saveAll } from "../model/lists.ts"
import {
  allHeirs,
  changeItems,
  effectiveValues,
  endKeys,
  environmentsOf,
  learnId,
  levelsAbove,
  type ModelEnvironment,
  newEnvironment,
  nextRevision,
  raiseHeirs,
  stateOf,
  writtenBy,
} from "../model/model.ts"
import { environmentView, summaryView, wholeView, withInheritedView } from "../model/views.ts"

const taken = refused(409, "This collection already has an environment with that name")
const missing = notFound("Environment")

/** Mostly another environment of the same collection, sometimes the environment itself, or any. */
const neighbor = fc.oneof(
  { weight: 8, arbitrary: fc.record({ index: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ any: draw.picked }) },
)

function idOf(context: RequestContext, place: { index: number } | { any: draw.Picked }): number {
  const { model, account, collection, environment } = context
  if ("any" in place) return draw.resolve(model, account, "environment", place.any)
  const others = [...(collection?.environments.keys() ?? [])].filter((id) => id !== environment?.id)
  const own = environment?.id ?? draw.unknownId
  return place.index === 0 ? own : (others[place.index % others.length] ?? own)
}

const newBase = field({ draw: fc.option(neighbor), sent: (context, base) => base && idOf(context, base) })

const current = ({ id, name }: ModelEnvironment, revision: number) => [{ id, name, revision }]

const beginning = field({
  draw: fc.option(
    fc.record({ index: fc.nat(10), what: fc.constantFrom("values" as const, "names" as const, "inherit" as const) }),
  ),
  sent({ collection }, from) {
    const ids = [...(collection?.environments.keys() ?? [])]
    const environmentId = from === null ? undefined : ids[from.index % ids.length]
    return environmentId === undefined ? undefined : { environmentId, what: from?.what }
  },
})

/** Saving the current list unchanged is a separate case, since it would hardly be drawn by chance. */
const lines = field({
  draw: fc.option(fc.array(draw.line, { maxLength: 8, size: "max" })),
  sent({ environment }, lines) {
    const items = [...(environment?.items.values() ?? [])]
    return lines ?? items.map(({ name, value }) => ({ name, value }))
  },
})

function sourceOf({ account, input }: RequestContext): ModelEnvironment | undefined {
  return environmentsOf(account).find(({ environment }) => environment.id === input["from"])?.environment
}

const copiedNames = field({
  draw: fc.oneof(
    { weight: 4, arbitrary: fc.constant("all" as const) },
    { weight: 4, arbitrary: fc.nat(10) },
    { weight: 1, arbitrary: fc.array(draw.itemName.draw, { maxLength: 3 }) },
  ),
  sent(context, names) {
    if (typeof names === "object") return names
    const source = sourceOf(context)
    const all = source === undefined ? [] : [...effectiveValues(source).keys()]
    if (names === "all") return all
    return all.length === 0 ? ["A"] : [all[names % all.length]]
  },
})

const seenSource = field({
  draw: fc.option(fc.nat(2), { freq: 3 }),
  sent: (context, ago) => (ago === null ? undefined : Math.max(1, (sourceOf(context)?.revision ?? 1) - ago)),
})

export const environmentsCommands = {
  get: commandsAbout("environment", environments.get, {
    data: ({ collection, environment }) => withInheritedView(collection.id, environment),
  }),

  listOfCollection: commandsAbout("collection", environments.listOfCollection, {
    data: ({ collection }) => wholeView(collection),
  }),

  create: commandsAbout("collection", environments.create, {
    fields: { from: beginning },
    blank: "Environment name is required",
    refusal({ collection, input: { name, from } }) {
      const source = collection.environments.get(from?.environmentId ?? 0)
      if ([...collection.environments.values()].some((one) => one.name === name.trim())) return taken
      return from?.what === "inherit" && source && levelsAbove(source) === 4 && refused(400, sentences.tooManyLevels)
    },
    data({ model, collection, input: { name, from } }, seen) {
      const source = collection.environments.get(from?.environmentId ?? 0)
      const id = learnId(model, "environment", seen.id)
      const environment = newEnvironment({ id, name: name.trim(), revision: 1 })
      collection.environments.set(id, environment)
      environment.isProtected = from?.what !== "names" && source?.isProtected === true
      if (from?.what === "inherit" && source !== undefined) {
        setBase(environment, source)
        environment.bases.set(1, { base: source, revision: source.revision })
      } else if (source !== undefined) {
        const values = effectiveValues(source)
        if (from?.what === "names") for (const copied of values.keys()) values.set(copied, "")
        changeItems(environment, () => undefined, values)
        learnItems(model, environment, seen)
      }
      return { ...environmentView(collection.id, environment), damaged: 0 }
    },
  }),

  rename: commandsAbout("environment", environments.rename, {
    fields: { revision: draw.seenRevision },
    refusal({ collection, environment, input: { name, revision = environment.revision } }) {
      const { renamedAt = 0 } = environment
      if (environment.name !== name.trim() && renamedAt > revision) {
        return conflicting(sentences.renamedMeanwhile, current(environment, renamedAt))
      }
      const others = [...collection.environments.values()].filter((one) => one !== environment)
      return others.some((one) => one.name === name.trim()) && taken
    },
    data({ collection, environment, input }) {
      if (environment.name !== input.name.trim()) {
        nextRevision(environment)
        environment.renamedAt = environment.revision
      }
      environment.name = input.name.trim()
      return summaryView(collection.id, environment)
    },
  }),

  protect: commandsAbout("environment", environments.protect, {
    weight: 2,
    refusal({ environment, input: { isProtected, withHeirs = false } }) {
      const heirs = isProtected ? unprotectedHeirs(environment) : []
      if (heirs.length > 0 && !withHeirs) return hindered(sentences.heirsNotProtected(heirs.length), heirs)
      const isHeld = environment.isProtected && environment.base?.isProtected
      return !isProtected && isHeld && refused(409, sentences.inheritsFromProtected)
    },
    data({ collection, environment, input: { isProtected } }) {
      const heirs = isProtected ? unprotectedHeirs(environment) : []
      for (const one of [environment, ...heirs]) one.isProtected = isProtected
      return summaryView(collection.id, environment)
    },
  }),

  rebase: commandsAbout("environment", environments.rebase, {
    weight: 8,
    fields: {
      baseId: newBase,
      revision: draw.seenRevision,
    },
    refusal({ collection, environment, input: { baseId, revision = environment.revision } }) {
      if (baseId === (environment.base?.id ?? null)) return undefined
      const { rebasedAt = 0 } = environment
      if (rebasedAt > revision) return conflicting(sentences.rebasedMeanwhile, current(environment, rebasedAt))
      if (baseId === null) return undefined
      const base = collection.environments.get(baseId)
      return base === undefined ? missing : baseRefusal(environment, base)
    },
    data({ collection, environment, input: { baseId } }) {
      if (baseId !== (environment.base?.id ?? null)) {
        setBase(environment, collection.environments.get(baseId ?? 0) ?? null)
        nextRevision(environment)
        environment.rebasedAt = environment.revision
        raiseHeirs(environment)
      }
      return summaryView(collection.id, environment)
    },
  }),

  remove: commandsAbout("environment", environments.remove, {
    weight: 2,
    refusal({ environment, input: { copyDown } }) {
      const heirs = allHeirs(environment)
      return heirs.length > 0 && copyDown === undefined && hindered(sentences.hasHeirs(heirs.length), heirs)
    },
    data({ model, account, collection, environment, input: { copyDown } }) {
      const copied = copyDown ? [...environment.items.values()] : []
      endKeys(model, [environment])
      collection.environments.delete(environment.id)
      environment.base?.heirs.delete(environment)
      collection.trash.push({ entry: environment, by: account.username })
      for (const heir of [...environment.heirs]) handDown(heir, environment.base, copied)
    },
    async after({ model, collection }, read) {
      for (const environment of collection.environments.values())
        await expectSaved(model, { collection, environment }, read)
    },
  }),

  saveAll: commandsAbout("environment", environments.saveAll, {
    weight: 6,
    fields: { items: lines, revision: draw.seenRevision },
    faults: ({ items }) => listFaults(items),
    refusal({ environment, input: { revision = environment.revision } }) {
      const later = laterItems(environment, revision)
      return later && conflicting(sentences.changedMeanwhile, later)
    },
    data({ collection, environment, input: { items } }) {
      const named = items.filter(({ name }) => name.trim() !== "")
      const values = new Map(named.map(({ name, value }) => [name.trim(), value]))
      saveAll(environment, values)
      return { ...summaryView(collection.id, environment), itemCount: values.size }
    },
    after: ({ model, ...place }, read) => expectSaved(model, place, read),
  }),

  copy: commandsAbout("environment", environments.copy, {
    weight: 8,
    fields: {
      from: field({ draw: neighbor, sent: idOf }),
      names: copiedNames,
      revision: draw.seenRevision,
      sourceRevision: seenSource,
    },
    faults: ({ names }) => namesFaults(names),
    refusal({ collection, environment, input }) {
      if (input.from === environment.id) return refused(400, sentences.copiedIntoItself)
      const source = collection.environments.get(input.from)
      if (source === undefined) return missing
      const { sourceRevision = source.revision, revision = environment.revision } = input
      if (sourceRevision !== source.revision) {
        return conflicting(sentences.sourceChangedMeanwhile, changedInSource(source, sourceRevision))
      }
      const available = effectiveValues(source)
      if (input.names.some((name) => !available.has(name.trim()))) return refused(404, sentences.nameNotInSource)
      const later = laterItems(environment, revision)
      return later && conflicting(sentences.changedMeanwhile, later)
    },
    data({ collection, environment, input }) {
      const available = effectiveValues(collection.environments.get(input.from) as ModelEnvironment)
      const current = effectiveValues(environment)
      const names = new Set(input.names.map((name) => name.trim()))
      const differing = [...names].filter((name) => current.get(name) !== available.get(name))
      const values = new Map(stateOf(environment.items.values()) as Map<string, string>)
      for (const name of differing) values.set(name, available.get(name) ?? "")
      saveAll(environment, values)
      const summary = { ...summaryView(collection.id, environment), itemCount: values.size }
      return { ...summary, copied: differing.length, damaged: 0 }
    },
    after: ({ model, ...place }, read) => expectSaved(model, place, read),
  }),
}

/** What its items are told as: they have no ids there. If none was written, the environment itself is told. */
function changedInSource(source: ModelEnvironment, since: number) {
  const later = [...source.writes].flatMap(([number, names]) => (number > since ? [...names] : []))
  if (later.length === 0) return current(source, source.revision)
  const own = stateOf(source.items.values())
  const left = [...new Set(later)].filter((name) => own.has(name))
  return left.map((name) => ({ id: null, name, revision: writtenBy(source, name, source.revision) }))
}

const unprotectedHeirs = (environment: ModelEnvironment) => allHeirs(environment).filter((heir) => !heir.isProtected)
