import {
  type About,
  type EnvironmentNames,
  type InputOf,
  limits,
  type names,
  notDescribed,
  sentences,
} from "@envkeep/contract"
import { printEnvExample } from "@envkeep/formats"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { ListInSteps } from "../../bounds/list-in-steps.ts"
import { sortedNames } from "../../bounds/sorted-names.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import { type Core, changeLocked, type Growth, type Notes } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { invalid, notFound } from "../../errors.ts"
import { bytesAtOnce } from "../environments/scope.ts"
import * as store from "./store.ts"

export async function listNames(core: Core, caller: Member, { id }: InputOf<typeof names.list>): Promise<About[]> {
  await findCollection(core.db, caller, id)
  const described = await store.describedNames(core.db, caller, id)
  return described.sort(byName)
}

/** The names that each environment sets itself. There is no value to hide, so no role decides what is shown. */
export async function getEnvironmentNames(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof names.inEnvironments>,
): Promise<EnvironmentNames[] | ListInSteps<EnvironmentNames>> {
  await findCollection(core.db, caller, id)
  return core.snapshot(async (snapshot) => {
    const environments = await store.environmentsOf(snapshot, caller, id)
    if (store.loadedBytesOf(environments) > bytesAtOnce) return namesInSteps(core, caller, environments)
    const all: EnvironmentNames[] = []
    for await (const environment of withPauses(environments)) all.push(await namesOf(snapshot, caller, environment))
    return all
  })
}

/** What is gone when its step is loaded is left out. */
function namesInSteps(
  core: Core,
  caller: Member,
  environments: readonly store.NamedEnvironment[],
): ListInSteps<EnvironmentNames> {
  async function* steps() {
    for (const { id } of environments) {
      yield core.snapshot(async (snapshot) => {
        const environment = await store.environmentOf(snapshot, caller, id)
        return environment === undefined ? [] : [await namesOf(snapshot, caller, environment)]
      })
    }
  }
  return new ListInSteps(bytesAtOnce, steps())
}

async function namesOf(
  db: Reader,
  caller: Member,
  { itemCount: _, ...environment }: store.NamedEnvironment,
): Promise<EnvironmentNames> {
  return { ...environment, names: (await store.itemNames(db, caller, environment.id)).sort() }
}

/** The text of a `.env.example`, in pieces. It has no values, so everyone who may see the names may have it. */
export async function getExample(
  core: Core,
  caller: Member,
  { id, environmentId }: InputOf<typeof names.example>,
): Promise<Iterable<string>> {
  await findCollection(core.db, caller, id)
  const all = await store.environmentsOf(core.db, caller, id)
  const environments = environmentId === undefined ? all : withBases(all, environmentId)
  if (environmentId !== undefined && environments.length === 0) throw notFound("Environment")
  const { used, described } = await core.snapshot(async (snapshot) => {
    const used = sortedNames()
    for await (const environment of withPauses(environments)) {
      await used.add(await store.itemNames(snapshot, caller, environment.id))
    }
    const abouts = await store.describedNames(snapshot, caller, id)
    const wanted = abouts.filter(({ isRequired }) => environmentId === undefined || isRequired)
    await used.add(wanted.map(({ name }) => name))
    return { used, described: new Map(abouts.map((about) => [about.name, about])) }
  })
  return exampleInPieces(await used.all(), described)
}

const namesPerPiece = 100

/** Each piece is made when it is asked for: there may be hundreds of thousands of names. */
function* exampleInPieces(names: readonly string[], described: ReadonlyMap<string, About>): Generator<string> {
  for (let at = 0; at < names.length; at += namesPerPiece) {
    const some = names.slice(at, at + namesPerPiece).map((name) => described.get(name) ?? notDescribed(name))
    yield (at === 0 ? "" : "\n") + printEnvExample(some)
  }
}

/** For a copy of the collection. */
export function descriptionsOf(snapshot: Reader, caller: Member, collectionId: number): Promise<About[]> {
  return store.describedNames(snapshot, caller, collectionId)
}

/** How much they take. */
export async function descriptionBytes(db: Reader, caller: Member, collectionId: number): Promise<number> {
  return (await findCollection(db, caller, collectionId)).bytes
}

/** For a collection that was just added. */
export async function addDescriptions(
  tx: Tx,
  notes: Notes,
  caller: Member,
  { collectionId, abouts }: { collectionId: number; abouts: readonly About[] },
): Promise<void> {
  const collection = abouts.length === 0 ? undefined : await store.lockDescribed(tx, caller, collectionId)
  if (collection === undefined) return
  const growth = { rows: abouts.length, sealedBytes: await bytesOf(abouts) }
  refuseBeyondRoom(collection, growth)
  await store.saveDescribed(tx, collection, abouts)
  await grow(tx, notes, collection, growth)
}

/** An environment and what it inherits from: it has the names of all of them. */
export function withBases(all: readonly store.NamedEnvironment[], environmentId: number): store.NamedEnvironment[] {
  const byId = new Map(all.map((one) => [one.id, one]))
  const chain: store.NamedEnvironment[] = []
  for (let next = byId.get(environmentId); next !== undefined && chain.length <= limits.inheritanceLevels; ) {
    chain.push(next)
    next = next.baseId === null ? undefined : byId.get(next.baseId)
  }
  return chain
}

async function findCollection(db: Reader, caller: Member, id: number): Promise<store.Described> {
  const collection = await store.describedIn(db, caller, id)
  if (collection === undefined) throw await outOfReach(db, caller, { collectionId: id })
  return collection
}

function byName(one: About, other: About): number {
  return one.name < other.name ? -1 : 1
}

export async function describeName(
  core: Core,
  caller: Member,
  { id, ...input }: InputOf<typeof names.describe>,
): Promise<About> {
  const [about] = await describe(core, caller, id, [input])
  // One for each that was given.
  return about as About
}

export async function describeNames(
  core: Core,
  caller: Member,
  { id, names: inputs }: InputOf<typeof names.describeMany>,
): Promise<null> {
  await describe(core, caller, id, inputs)
  return null
}

type Input = InputOf<typeof names.describeMany>["names"][number]

function describe(core: Core, caller: Member, id: number, inputs: readonly Input[]): Promise<About[]> {
  return changeDescribed(core, caller, { action: "name.describe", id }, async (tx, notes, collection) => {
    const known = await store.findDescribed(
      tx,
      collection,
      inputs.map(({ name }) => name),
    )
    const { abouts, changed, growth } = await compare(known, inputs)
    if (changed.length === 0) {
      notes.nothingChanged()
      return abouts
    }
    refuseBeyondRoom(collection, growth)
    if (changed.length > 1) await notes.willGrow({ collectionId: id }, [growth])
    await store.saveDescribed(tx, collection, changed)
    await grow(tx, notes, collection, growth)
    notes.about({ collectionId: id, names: changed.map(({ name }) => name) })
    return abouts
  })
}

/** What the names are described as after a change, which of that is not yet stored, and by how much it makes them grow. */
async function compare(known: ReadonlyMap<string, About>, inputs: readonly Input[]) {
  const abouts: About[] = []
  const changed: About[] = []
  const growth: Growth = { rows: 0, sealedBytes: 0 }
  await eachWithPauses(inputs, (input) => {
    const stored = known.get(input.name)
    const about = merged(stored ?? notDescribed(input.name), input)
    abouts.push(about)
    const text = textOf(about)
    const storedText = stored === undefined ? "" : textOf(stored)
    if (text !== storedText) {
      changed.push(about)
      if (stored === undefined) growth.rows++
      growth.sealedBytes += Buffer.byteLength(text) - Buffer.byteLength(storedText)
    }
  })
  return { abouts, changed, growth }
}

/** What is not given stays as it is. Only a choice has choices, at least one. */
function merged(about: About, input: Input): About {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
  const next: About = { ...about, ...given }
  if (next.kind !== "choice") return { ...next, choices: [] }
  if (next.choices.length === 0) throw invalid(sentences.choicesMissing)
  return next
}

function textOf({ name, description, isRequired, isSecret, kind, choices, example }: About): string {
  return JSON.stringify([name, description, isRequired, isSecret, kind, choices, example])
}

/** What they take of the room that a collection has for descriptions. */
async function bytesOf(abouts: readonly About[]): Promise<number> {
  let bytes = 0
  await eachWithPauses(abouts, (about) => {
    bytes += Buffer.byteLength(textOf(about))
  })
  return bytes
}

export function removeDescription(
  core: Core,
  caller: Member,
  { id, name }: InputOf<typeof names.remove>,
): Promise<null> {
  return changeDescribed(core, caller, { action: "name.undescribe", id }, async (tx, notes, collection) => {
    const about = (await store.findDescribed(tx, collection, [name])).get(name)
    if (about === undefined) throw notFound("Description")
    await store.deleteDescribed(tx, collection, name)
    await grow(tx, notes, collection, { rows: -1, sealedBytes: -(await bytesOf([about])) })
    notes.about({ collectionId: id, names: [name] })
    return null
  })
}

function changeDescribed<Result>(
  core: Core,
  caller: Member,
  { action, id }: { action: Action; id: number },
  work: (tx: Tx, notes: Notes, collection: store.Described) => Promise<Result>,
): Promise<Result> {
  return changeLocked(core, caller, { action, subject: `names of collection ${id}`, lock }, work)

  async function lock(tx: Tx): Promise<store.Described> {
    const collection = await store.lockDescribed(tx, caller, id)
    if (collection === undefined) throw await outOfReach(tx, caller, { collectionId: id })
    return collection
  }
}

/** Before the first row is written: otherwise the work could be repeated at no cost, and on SQLite everyone waits for it. */
function refuseBeyondRoom({ count, bytes }: store.Described, { rows, sealedBytes }: Growth): void {
  if (rows > 0 && count + rows > limits.describedNames) throw invalid(sentences.tooManyDescribedNames)
  if (sealedBytes > 0 && bytes + sealedBytes > limits.describedBytes) throw invalid(sentences.descriptionsTooLarge)
}

async function grow(tx: Tx, notes: Notes, { id, count, bytes }: store.Described, growth: Growth): Promise<void> {
  await store.countDescribed(tx, { id, count: count + growth.rows, bytes: bytes + growth.sealedBytes })
  notes.grow({ collectionId: id }, growth)
  notes.invalidate({ collectionId: id, forScreens: true })
}
