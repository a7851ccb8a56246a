import type { collections, Environment, InputOf, Level, ReloadedCollection, TaggedEnvironment } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { rolesOf } from "../../access/roles.ts"
import { ListInSteps } from "../../bounds/list-in-steps.ts"
import type { Core } from "../../core/core.ts"
import type { Reader } from "../../db/schema.ts"
import { notFound } from "../../errors.ts"
import { isoTime } from "../../iso-time.ts"
import {
  bytesOf,
  type EnvironmentHead,
  environmentsInSteps,
  headsOfCollection,
  isLoadedAtOnce,
  summariesOf,
  wholeEnvironments,
} from "../environments/rules.ts"
import { bytesAtOnce } from "../environments/scope.ts"
import { type Holding, holdingOf, tagOf } from "../environments/tags.ts"
import * as store from "./store.ts"

/** Its environments are loaded while they are sent, if they are large. */
type Gradual<One> = Omit<ReloadedCollection, "subCollections"> & { subCollections: One[] | ListInSteps<One> }

export function getCollection(
  core: Core,
  caller: Member,
  { id, tagged = false, held }: InputOf<typeof collections.get>,
): Promise<Gradual<TaggedEnvironment>> {
  const hasTags = tagged || held !== undefined
  return hasTags ? readWhatDiffers(core, caller, { id, holding: holdingOf(held) }) : readWhole(core, caller, id)
}

function readWhole(core: Core, caller: Member, id: number): Promise<Gradual<Environment>> {
  return core.snapshot(async (snapshot) => {
    const { row, role } = await collectionInReach(snapshot, caller, id)
    if (await isLoadedAtOnce(snapshot, caller, id)) {
      return withEnvironments(row, role, await wholeEnvironments(snapshot, core.vault, caller, { collectionId: id }))
    }
    const environments = await summariesOf(snapshot, caller, id)
    const subCollections = environmentsInSteps(core, caller, environments)
    return { ...withEnvironments(row, role, environments), subCollections }
  })
}

/** For a caller that holds some of it. What it holds is not loaded. */
function readWhatDiffers(
  core: Core,
  caller: Member,
  { id, holding }: { id: number; holding: Holding },
): Promise<Gradual<TaggedEnvironment>> {
  return core.snapshot(async (snapshot) => {
    const { row, role } = await collectionInReach(snapshot, caller, id)
    const { heads, loadItems } = await headsOfCollection(core, snapshot, caller, id)
    const { unchanged, sameItems, lacking } = compare(heads, role, holding)
    const subCollections =
      bytesOf(lacking) <= bytesAtOnce
        ? [...sameItems, ...(await loadItems(lacking))]
        : taggedInSteps(core, caller, { sameItems, lacking, role })
    return { ...withEnvironments(row, role, heads), subCollections, unchanged }
  })
}

function compare(heads: readonly EnvironmentHead[], role: Level, holding: Holding) {
  const tagged = heads.map((head) => ({ ...head, tag: tagOf(head, role) }))
  const changed = tagged.filter(({ tag }) => !holding.has(tag))
  return {
    unchanged: tagged.filter(({ tag }) => holding.has(tag)).map((head) => head.id),
    sameItems: changed
      .filter(({ tag }) => holding.hasItems(tag))
      .map((head) => ({ ...head, collectionItems: [], sameItems: true as const })),
    lacking: changed.filter(({ tag }) => !holding.hasItems(tag)),
  }
}

/** Each of what is lacking is of its own moment, and so is its tag. */
function taggedInSteps(
  core: Core,
  caller: Member,
  {
    sameItems,
    lacking,
    role,
  }: { sameItems: readonly TaggedEnvironment[]; lacking: readonly { id: number }[]; role: Level },
): ListInSteps<TaggedEnvironment> {
  const { bytesPerStep, steps } = environmentsInSteps(core, caller, lacking)
  async function* tagged(): AsyncGenerator<readonly TaggedEnvironment[]> {
    yield sameItems
    for await (const some of steps) {
      yield some.map((environment) => ({ ...environment, tag: tagOf(environment, role) }))
    }
  }
  return new ListInSteps(bytesPerStep, tagged())
}

export async function collectionInReach(snapshot: Reader, caller: Member, id: number) {
  const row = await store.collectionRow(snapshot, caller, id)
  if (row === undefined) throw notFound("Collection")
  return { row, role: (await rolesOf(snapshot, caller, [id])).get(id) ?? weakest }
}

/** For a membership that ended in this moment. */
const weakest: Level = "viewer"

/** A collection changes with its environments. Their times are kept apart, so that their writers need not take turns. */
export function withEnvironments<One extends { changedAt: number | null }>(
  row: store.CollectionRow,
  role: Level = weakest,
  subCollections: One[],
) {
  const changedAt = Math.max(row.changedAt ?? 0, ...subCollections.map((environment) => environment.changedAt ?? 0))
  return { ...row, changedAt: changedAt === 0 ? null : isoTime(changedAt), role, subCollections }
}
