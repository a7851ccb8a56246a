import {
  type EnvironmentSummary,
  type Found,
  type FoundCollection,
  type FoundEnvironment,
  type FoundVariable,
  type find,
  type InputOf,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { batches } from "../../bounds/batches.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { invalid } from "../../errors.ts"
import { collectionsAfter, collectionWithSummaries } from "../collections/rules.ts"
import { allPages } from "../environments/pages.ts"
import { type Best, startBest, startBestNames } from "./best.ts"
import { matcherIn, type Sought, soughtFor } from "./match.ts"
import { fold, type KeptNames } from "./names.ts"
import { type Cursor, type Kind, readCursor, type SortKey } from "./sort-key.ts"

type Input = InputOf<typeof find.byName>

/** Searches names only, so a viewer and a token that never sees a value can use it. */
export function findByName(core: Core, names: KeptNames, caller: Member, input: Input): Promise<Found> {
  const search = startSearch(input)
  return core.snapshot(async (snapshot) => {
    for await (const collections of collectionsInOrder(snapshot, caller, input.collectionId)) {
      for (const collection of collections) search.lookAtCollection(collection)
      for (const some of batches(environmentsOf(collections), batchBounds)) {
        const namesOf = await names.of(
          snapshot,
          caller,
          some.map(({ environment }) => environment),
        )
        for await (const one of withPauses(some)) {
          search.lookAtEnvironment(one)
          const lookAtName = search.lookIn(one)
          await eachWithPauses(namesOf.get(one.environment.id) ?? [], lookAtName)
        }
      }
    }
    return search.result()
  })
}

interface SearchedCollection {
  id: number
  name: string
}

interface Searched {
  collection: SearchedCollection
  environment: EnvironmentSummary
}

type CollectionWithSummaries = SearchedCollection & { subCollections: readonly EnvironmentSummary[] }

/** All in reach: the one that comes first, and then the others as they were added. */
async function* collectionsInOrder(
  snapshot: Reader,
  caller: Member,
  firstId: number | undefined,
): AsyncGenerator<CollectionWithSummaries[]> {
  const first = firstId === undefined ? undefined : await collectionWithSummaries(snapshot, caller, firstId)
  if (first !== undefined) yield [first]
  for await (const page of allPages((lastId) => collectionsAfter(snapshot, caller, lastId))) {
    yield page.filter(({ id }) => id !== first?.id)
  }
}

/** Of one statement, and of one piece of work on the thread: so many environments, with so many names. */
const batchBounds = {
  maxCount: 500,
  maxSize: 10_000,
  sizeOf: ({ environment }: Searched) => environment.itemCount,
}

function* environmentsOf(collections: readonly CollectionWithSummaries[]): Generator<Searched> {
  for (const collection of collections) {
    for (const environment of collection.subCollections) yield { collection, environment }
  }
}

/** Three lists of results, and what to look at for them. */
function startSearch({ text, collectionId: firstId, grouped, name: onlyName, after }: Input) {
  const cursor = after === undefined ? undefined : cursorIn(after)
  const isWanted = (kind: Kind) => (cursor?.kind ?? kind) === kind && (onlyName === undefined || kind === "variables")
  const start = <Row>(kind: Kind): Best<Row> | undefined =>
    isWanted(kind) ? startBest<Row>(kind, cursor?.key) : undefined

  const sought = soughtFor(text)
  const collections = start<FoundCollection>("collections")
  const environments = start<FoundEnvironment>("environments")
  const variables: Best<FoundVariable> | undefined =
    grouped && isWanted("variables") ? startBestNames<FoundVariable>(cursor?.key) : start("variables")

  const keyIn = (collectionId: number, environmentId: number): Pick<SortKey, Place> => ({
    isElsewhere: collectionId !== firstId,
    collectionId,
    environmentId,
  })

  function lookAtCollection({ id, name }: SearchedCollection): void {
    addIfFound(collections, { sought, place: "", name, key: keyIn(id, 0) }, () => ({ id, name }))
  }

  function lookAtEnvironment({ collection, environment: { id, name } }: Searched): void {
    const place = { collectionId: collection.id, collectionName: collection.name }
    addIfFound(environments, { sought, place: fold(collection.name), name, key: keyIn(collection.id, id) }, () => ({
      id,
      name,
      ...place,
    }))
  }

  /** Of what is in an environment. */
  function lookIn({ collection, environment }: Searched): (variable: { name: string; folded: string }) => void {
    if (variables === undefined) return () => undefined
    const place = {
      environmentId: environment.id,
      environmentName: environment.name,
      collectionId: collection.id,
      collectionName: collection.name,
    }
    const key = keyIn(collection.id, environment.id)
    const rankOf = matcherIn(`${fold(collection.name)}\n${fold(environment.name)}`, sought)
    return ({ name, folded }) => {
      const rank = rankOf(folded)
      if (rank === undefined || (onlyName !== undefined && name !== onlyName)) return
      variables.add({ ...key, rank, folded, name }, () => ({ name, ...place }))
    }
  }

  const result = (): Found => ({
    collections: collections?.result() ?? none,
    environments: environments?.result() ?? none,
    variables: variables?.result() ?? none,
  })
  return { lookAtCollection, lookAtEnvironment, lookIn, result }
}

type Place = "isElsewhere" | "collectionId" | "environmentId"

const none = { total: 0, best: [] }

function cursorIn(after: string): Cursor {
  const cursor = readCursor(after)
  if (cursor === undefined) throw invalid(sentences.notNext)
  return cursor
}

interface Named {
  sought: Sought
  /** Where it is, folded. */
  place: string
  name: string
  key: Pick<SortKey, Place>
}

function addIfFound<Row>(best: Best<Row> | undefined, { sought, place, name, key }: Named, toRow: () => Row): void {
  const folded = fold(name)
  const rank = matcherIn(place, sought)(folded)
  if (rank !== undefined) best?.add({ ...key, rank, folded, name }, toRow)
}
