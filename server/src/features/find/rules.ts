import type {
  CollectionSummary,
  EnvironmentSummary,
  Found,
  FoundCollection,
  FoundEnvironment,
  FoundVariable,
  find,
  InputOf,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { batches } from "../../bounds/batches.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import type { Core } from "../../core/core.ts"
import { collectionsAfter } from "../collections/rules.ts"
import { allPages } from "../environments/pages.ts"
import { type Best, type Rank, ranks, startBest } from "./best.ts"
import { fold, type KeptNames } from "./names.ts"

/** Searches names only, so a viewer and a token that never sees a value can use it. */
export function findByName(
  core: Core,
  names: KeptNames,
  caller: Member,
  { text }: InputOf<typeof find.byName>,
): Promise<Found> {
  const sought = fold(text)
  return core.snapshot(async (snapshot) => {
    const collections = startBest<FoundCollection>()
    const environments = startBest<FoundEnvironment>()
    const variables = startBest<FoundVariable>()
    for await (const page of allPages((lastId) => collectionsAfter(snapshot, caller, lastId))) {
      for (const { id, name } of page) addIfFound(collections, sought, fold(name), () => ({ id, name }))
      for (const some of batches(environmentsOf(page), batchBounds)) {
        const namesOf = await names.of(
          snapshot,
          caller,
          some.map(({ environment }) => environment),
        )
        for await (const { collection, environment } of withPauses(some)) {
          const place = { collectionId: collection.id, collectionName: collection.name }
          const { id, name } = environment
          addIfFound(environments, sought, fold(name), () => ({ id, name, ...place }))
          const inEnvironment = { environmentId: id, environmentName: name, ...place }
          await eachWithPauses(namesOf.get(id) ?? [], (variable) =>
            addIfFound(variables, sought, variable.folded, () => ({ name: variable.name, ...inEnvironment })),
          )
        }
      }
    }
    return { collections: collections.result(), environments: environments.result(), variables: variables.result() }
  })
}

interface Searched {
  collection: Pick<CollectionSummary, "id" | "name">
  environment: EnvironmentSummary
}

/** Of one statement, and of one piece of work on the thread: so many environments, with so many names. */
const batchBounds = {
  maxCount: 500,
  maxSize: 10_000,
  sizeOf: ({ environment }: Searched) => environment.itemCount,
}

function* environmentsOf(
  collections: readonly (Searched["collection"] & { subCollections: readonly EnvironmentSummary[] })[],
): Generator<Searched> {
  for (const collection of collections) {
    for (const environment of collection.subCollections) yield { collection, environment }
  }
}

function addIfFound<Row>(best: Best<Row>, sought: string, folded: string, toRow: () => Row): void {
  const at = folded.indexOf(sought)
  if (at === -1) return
  const rank = rankOf(sought, folded, at)
  if (best.counts(rank, folded)) best.keep(rank, folded, toRow())
}

function rankOf(sought: string, folded: string, at: number): Rank {
  if (at > 0) return ranks.contains
  return folded.length === sought.length ? ranks.equal : ranks.begins
}
