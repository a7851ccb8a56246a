import { type collections, type Environment, type InputOf, type OutputOf, sentences } from "@envkeep/contract"
import { atLevel, type Member } from "../../access/caller.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, notFound } from "../../errors.ts"
import { lockEnvironment } from "../environments/change-environment.ts"
import { addFirstRevision, insertEnvironment } from "../environments/create.ts"
import { rebaseWith } from "../environments/inheritance/rules.ts"
import { sealedBytesOf } from "../environments/items/change-items.ts"
import { mergeItems, oneBulkSavePerUser, type Wanted } from "../environments/items/rules.ts"
import { wholeEnvironments } from "../environments/rules.ts"
import { addDescriptions, descriptionBytes, descriptionsOf } from "../names/rules.ts"
import { addCollection } from "./rules.ts"
import * as store from "./store.ts"

type Input = InputOf<typeof collections.duplicate>
type Duplicated = OutputOf<typeof collections.duplicate>

/**
 * Makes a new collection of the caller from what they may see of another one, all or nothing. The other one is read in a
 * snapshot, so its writers do not wait. Values are opened before the change begins: then it is known how much is stored,
 * and on SQLite all writers wait for the change.
 */
export async function duplicateCollection(core: Core, caller: Member, { id, name, what }: Input): Promise<Duplicated> {
  // A token that is limited to some collections could not reach the new one.
  if (caller.token?.isLimited) throw new AppError("forbidden", sentences.tokenLimited)
  return oneBulkSavePerUser(caller, async () => {
    const { description, environments, abouts, describedBytes } = await core.snapshot(async (snapshot) => {
      const row = await store.collectionRow(snapshot, caller, id)
      if (row === undefined) throw notFound("Collection")
      return {
        description: row.description,
        environments: await wholeEnvironments(snapshot, core.vault, caller, { collectionId: id }),
        abouts: await descriptionsOf(snapshot, caller, id),
        describedBytes: await descriptionBytes(snapshot, caller, id),
      }
    })
    const copied = await takeAll(environments, what)
    const growths = copied.map(({ items, sealedBytes }) => ({ rows: 1 + items.length, sealedBytes }))
    growths.push({ rows: 1 + abouts.length, sealedBytes: describedBytes })
    return core.change(caller, "collection.duplicate", async (tx, notes) => {
      await notes.willGrow({ userId: caller.userId }, growths)
      const { id: collectionId } = await addCollection(core, tx, notes, { caller, name, description })
      const owner = atLevel(caller, "owner")
      await addDescriptions(tx, notes, owner, { collectionId, abouts })
      const copies = await addEnvironments(tx, notes, owner, { collectionId, copied })
      for (const environment of basesFirst(copied)) await fill(core, tx, notes, { owner, environment, copies })
      notes.also("collection.create", { collectionId })
      notes.about({ collectionId: id })
      const hidden = copied.reduce((sum, one) => sum + one.hidden, 0)
      const damaged = copied.reduce((sum, one) => sum + one.damaged, 0)
      return { id: collectionId, name, hidden, damaged }
    })
  })
}

/** An environment with what is copied of it. */
interface Copied extends Pick<Environment, "id" | "name" | "isProtected" | "baseId"> {
  items: Wanted
  /** Of the items, in the copy. */
  sealedBytes: number
  hidden: number
  damaged: number
}

/** Empties the list: what was opened need not be in memory twice. */
async function takeAll(environments: Environment[], what: Input["what"]): Promise<Copied[]> {
  const copied: Copied[] = []
  for await (const environment of withPauses(taken(environments))) {
    const { id, name, isProtected, baseId } = environment
    const copy = await itemsToCopy(environment, what)
    copied.push({ id, name, isProtected, baseId, ...copy, sealedBytes: sealedBytesOf(copy.items) })
  }
  return copied
}

function* taken(environments: Environment[]): Generator<Environment> {
  for (let next = environments.shift(); next !== undefined; next = environments.shift()) yield next
}

/** By id, so that they have the same order. Returns the ids of the new ones. */
async function addEnvironments(
  tx: Tx,
  notes: Notes,
  owner: Member,
  { collectionId, copied }: { collectionId: number; copied: readonly Copied[] },
): Promise<Map<number, number>> {
  const ids = new Map<number, number>()
  for (const { id, name, isProtected } of copied) {
    const row = await insertEnvironment(tx, notes, owner, { name, collectionId, isProtected })
    await addFirstRevision(tx, owner, row)
    ids.set(id, row.id)
  }
  return ids
}

/** What inherits comes after its base, so that filling the base does not change it. */
function basesFirst(environments: readonly Copied[]): Copied[] {
  const byId = new Map(environments.map((environment) => [environment.id, environment]))
  const sorted = new Set<Copied>()
  function add(environment: Copied): void {
    const base = environment.baseId === null ? undefined : byId.get(environment.baseId)
    if (base !== undefined && !sorted.has(base)) add(base)
    sorted.add(environment)
  }
  for (const environment of environments) add(environment)
  return [...sorted]
}

/** Only names of what the caller may not see. A damaged item is left out: an empty value would look like its own. */
async function itemsToCopy(
  { collectionItems, valuesHidden }: Environment,
  what: Input["what"],
): Promise<Pick<Copied, "items" | "hidden" | "damaged">> {
  const namesOnly = () => collectionItems.map(({ name }) => ({ name, value: "" }))
  if (what === "names") return { items: namesOnly(), hidden: 0, damaged: 0 }
  if (valuesHidden) return { items: namesOnly(), hidden: collectionItems.length, damaged: 0 }
  const items: Wanted = []
  await eachWithPauses(collectionItems, (item) => {
    const { name, value } = item
    if (value !== null) items.push({ name, value })
  })
  return { items, hidden: 0, damaged: collectionItems.length - items.length }
}

interface Filled {
  owner: Member
  environment: Copied
  /** The ids of the new environments by those of the old ones. */
  copies: ReadonlyMap<number, number>
}

async function fill(
  core: Core,
  tx: Tx,
  notes: Notes,
  { owner, environment: { id, baseId, items }, copies }: Filled,
): Promise<void> {
  const newBaseId = baseId === null ? undefined : copies.get(baseId)
  if (newBaseId === undefined && items.length === 0) return
  const copy = { environmentId: copies.get(id) ?? 0, action: "collection.duplicate" } as const
  const environment = await lockEnvironment(tx, core.vault, owner, copy)
  if (newBaseId === undefined) await mergeItems(tx, notes, environment, { items })
  else await rebaseWith(tx, notes, environment, { baseId: newBaseId, put: items })
}
