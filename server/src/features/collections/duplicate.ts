import { type collections, type Environment, type InputOf, type OutputOf, sentences } from "@envkeep/contract"
import { atLevel, type Member } from "../../access/caller.ts"
import { startPace } from "../../bounds/turns.ts"
import type { Core, Notes } from "../../db/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, notFound } from "../../errors.ts"
import { addFirstRevision, insertEnvironment } from "../environments/create.ts"
import { rebaseWith } from "../environments/inheritance/rules.ts"
import { mergeItems, oneBulkSavePerUser, type Wanted } from "../environments/items/rules.ts"
import { lockEnvironment } from "../environments/lock.ts"
import { bytesIn, wholeEnvironments } from "../environments/rules.ts"
import type { HoldBytes } from "../environments/scope.ts"
import { addDescriptions, descriptionBytes, descriptionsOf } from "../names/rules.ts"
import { addCollection } from "./rules.ts"
import * as store from "./store.ts"

type Input = InputOf<typeof collections.duplicate>
type Duplicated = OutputOf<typeof collections.duplicate>

/**
 * Makes a new collection of the caller from what they may see of another one, all or nothing. The other one is read in a
 * snapshot, so its writers do not wait. Values are opened one environment at a time.
 */
export async function duplicateCollection(
  core: Core,
  caller: Member,
  { id, name, what }: Input,
  holdBytes: HoldBytes,
): Promise<Duplicated> {
  const described = await descriptionBytes(core, caller, id)
  // A token that is limited to some collections could not reach the new one.
  if (caller.token?.isLimited) throw new AppError("forbidden", sentences.tokenLimited)
  await holdBytes(described + (await bytesIn(core, caller, { collectionId: id })))
  return oneBulkSavePerUser(caller.userId, async () => {
    const source = await core.snapshot(async (snapshot) => {
      const row = await store.collectionRow(snapshot, caller, id)
      if (row === undefined) throw notFound("Collection")
      const environments = await wholeEnvironments(snapshot, core.vault, caller, { collectionId: id })
      return { ...row, environments, abouts: await descriptionsOf(snapshot, caller, id) }
    })
    return core.change(caller, "collection.duplicate", async (tx, notes) => {
      const { description, environments, abouts } = source
      const { id: collectionId } = await addCollection(core, tx, notes, { caller, name, description })
      const owner = atLevel(caller, "owner")
      await addDescriptions(tx, notes, owner, { collectionId, abouts })
      const copies = await addEnvironments(tx, notes, owner, { collectionId, environments })
      const counts = { hidden: 0, damaged: 0 }
      for (const environment of basesFirst(environments)) {
        const taken = await itemsToCopy(environment, what)
        counts.hidden += taken.hidden
        counts.damaged += taken.damaged
        await fill(core, tx, notes, { owner, environment, copies, items: taken.items })
      }
      notes.also("collection.create", { collectionId })
      notes.about({ collectionId: id })
      return { id: collectionId, name, ...counts }
    })
  })
}

/** By id, so that they have the same order. Returns the ids of the new ones. */
async function addEnvironments(
  tx: Tx,
  notes: Notes,
  owner: Member,
  { collectionId, environments }: { collectionId: number; environments: readonly Environment[] },
): Promise<Map<number, number>> {
  const ids = new Map<number, number>()
  for (const { id, name, isProtected } of environments) {
    const row = await insertEnvironment(tx, notes, owner, { name, collectionId, isProtected })
    await addFirstRevision(tx, owner, row)
    ids.set(id, row.id)
  }
  return ids
}

/** What inherits comes after its base, so that filling the base does not change it. */
function basesFirst(environments: readonly Environment[]): Environment[] {
  const byId = new Map(environments.map((environment) => [environment.id, environment]))
  const sorted = new Set<Environment>()
  function add(environment: Environment): void {
    const base = environment.baseId === null ? undefined : byId.get(environment.baseId)
    if (base !== undefined && !sorted.has(base)) add(base)
    sorted.add(environment)
  }
  for (const environment of environments) add(environment)
  return [...sorted]
}

interface Taken {
  items: Wanted
  hidden: number
  damaged: number
}

/** Only names of what the caller may not see. A damaged item is left out: an empty value would look like its own. */
async function itemsToCopy({ collectionItems, valuesHidden }: Environment, what: Input["what"]): Promise<Taken> {
  const namesOnly = () => collectionItems.map(({ name }) => ({ name, value: "" }))
  if (what === "names") return { items: namesOnly(), hidden: 0, damaged: 0 }
  if (valuesHidden) return { items: namesOnly(), hidden: collectionItems.length, damaged: 0 }
  const items: Wanted = []
  const pace = startPace()
  for (const item of collectionItems) {
    const { name, value } = item
    if (value !== null) items.push({ name, value })
    if (pace.isDue()) await pace.turn()
  }
  return { items, hidden: 0, damaged: collectionItems.length - items.length }
}

interface Filled {
  owner: Member
  environment: Environment
  /** The ids of the new environments by those of the old ones. */
  copies: ReadonlyMap<number, number>
  items: Wanted
}

async function fill(
  core: Core,
  tx: Tx,
  notes: Notes,
  { owner, environment: { id, baseId }, copies, items }: Filled,
): Promise<void> {
  const newBaseId = baseId === null ? undefined : copies.get(baseId)
  if (newBaseId === undefined && items.length === 0) return
  const copy = { environmentId: copies.get(id) ?? 0, action: "collection.duplicate" } as const
  const environment = await lockEnvironment(tx, core.vault, owner, copy)
  if (newBaseId === undefined) await mergeItems(tx, notes, environment, { items })
  else await rebaseWith(tx, notes, environment, { baseId: newBaseId, put: items })
}
