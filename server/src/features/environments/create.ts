import { type Environment, type environments, type InputOf, limits, type OutputOf, sentences } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { outOfReach, refuseOutOfReach } from "../../access/out-of-reach.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { invalid, notFound, unlessTaken } from "../../errors.ts"
import { lockEnvironment } from "./change-environment.ts"
import { type CopySource, readSource } from "./copy/source.ts"
import { inheritFrom } from "./inheritance/rules.ts"
import { mergeItems, oneBulkSavePerUser, type Wanted } from "./items/rules.ts"
import * as revisionStore from "./revision-store.ts"
import { wholeEnvironments } from "./rules.ts"
import * as store from "./store.ts"

type Input = InputOf<typeof environments.create>
type Created = OutputOf<typeof environments.create>

/** Adds an environment that is empty, or that begins with what another one has. */
export function createEnvironment(core: Core, caller: Member, { from, ...input }: Input): Promise<Created> {
  return unlessTaken(sentences.environmentNameTaken, () => {
    if (from === undefined) return createEmpty(core, caller, input)
    const { environmentId } = from
    if (from.what === "inherit") return createHeir(core, caller, { ...input, environmentId })
    return createCopy(core, caller, { ...input, environmentId, what: from.what })
  })
}

interface NewEnvironment {
  name: string
  collectionId: number
}

function createEmpty(core: Core, caller: Member, input: NewEnvironment): Promise<Created> {
  return core.change(caller, "environment.create", async (tx, notes) => {
    const row = await insertEnvironment(tx, notes, caller, input)
    await addFirstRevision(tx, caller, row)
    return { ...empty(row), damaged: 0 }
  })
}

/** What inherits from a protected environment is protected from the beginning. */
function createHeir(
  core: Core,
  caller: Member,
  { environmentId, ...input }: NewEnvironment & { environmentId: number },
): Promise<Created> {
  return core.change(caller, "environment.create", async (tx, notes) => {
    // Before the new one: what is locked together is locked from the base downwards.
    const base = await revisionStore.lockEnvironment(tx, caller, environmentId)
    const row = await insertEnvironment(tx, notes, caller, { ...input, isProtected: base?.isProtected === true })
    if (base?.collectionId !== row.collectionId) throw notFound("Environment")
    await inheritFrom(tx, caller, { environment: row, base })
    await addFirstRevision(tx, caller, row)
    return { ...empty(row), baseId: base.id, damaged: 0 }
  })
}

/** With values of a protected environment, it is protected from the beginning. */
async function createCopy(
  core: Core,
  caller: Member,
  { environmentId, what, ...input }: NewEnvironment & { environmentId: number; what: "values" | "names" },
): Promise<Created> {
  await refuseOutOfReach(core.db, caller, input.collectionId)
  return oneBulkSavePerUser(caller, async () => {
    const source = await core.snapshot((snapshot) => readSource(snapshot, core, caller, environmentId))
    if (source.collectionId !== input.collectionId) throw notFound("Environment")
    const items = what === "names" ? namesOnly(source) : valuesOf(source)
    const id = await core.change(caller, "environment.create", async (tx, notes) => {
      const isProtected = what === "values" && source.isProtected
      const row = await insertEnvironment(tx, notes, caller, { ...input, isProtected })
      await addFirstRevision(tx, caller, row)
      if (items.length === 0) return row.id
      const environment = await lockEnvironment(tx, core.vault, caller, { environmentId: row.id, action: "item.copy" })
      const sourceEnvironment = { id: source.id, name: source.name }
      await mergeItems(tx, notes, environment, { items, source: source.revision, sourceEnvironment })
      return row.id
    })
    return core.snapshot(async (snapshot) => {
      const [environment] = await wholeEnvironments(snapshot, core.vault, caller, { environmentId: id })
      // It may have been deleted in this moment.
      if (environment === undefined) throw notFound("Environment")
      return { ...environment, damaged: source.values.size - items.length }
    })
  })
}

function valuesOf({ values }: CopySource): Wanted {
  return Array.from(values, ([name, value]) => ({ name, value })).filter(
    (item): item is Wanted[number] => item.value !== null,
  )
}

function namesOnly({ values }: CopySource): Wanted {
  return Array.from(values.keys(), (name) => ({ name, value: "" }))
}

/** Adds an empty environment to a collection. What is done with it first ends with `addFirstRevision`. */
export async function insertEnvironment(
  tx: Tx,
  notes: Notes,
  caller: Member,
  { isProtected = false, ...input }: NewEnvironment & { isProtected?: boolean },
): Promise<revisionStore.EnvironmentRow> {
  await refuseAnotherEnvironment(tx, caller, { ...input, sealedBytes: 0 })
  // Only here: what is in the trash can always be restored, and what is not can always be deleted.
  if (await store.hasTrashedEnvironments(tx, caller, { ...input, count: limits.trashedEnvironmentsPerCollection })) {
    throw invalid(sentences.tooManyTrashedEnvironments)
  }
  const row = await store.insertEnvironment(tx, caller, input)
  if (row === undefined) throw await outOfReach(tx, caller, input)
  if (isProtected) await store.setProtection(tx, row, true)
  notes.about({ collectionId: row.collectionId, environmentId: row.id })
  notes.grow({ collectionId: row.collectionId }, { rows: 1, sealedBytes: 0 })
  notes.invalidate({ collectionId: row.collectionId, forScreens: true })
  return { ...row, isProtected }
}

export async function addFirstRevision(
  tx: Tx,
  caller: Member,
  { id, revision }: revisionStore.EnvironmentRow,
): Promise<void> {
  const maker = { caller, action: "environment.create" } as const
  await revisionStore.addRevision(tx, maker, { environmentId: id, number: revision })
}

/** Of an environment that comes back from the trash. */
export async function addRecoveredRevision(
  tx: Tx,
  caller: Member,
  { id, revision }: { id: number; revision: number },
): Promise<void> {
  const maker = { caller, action: "environment.recover" as const }
  await revisionStore.addRevision(tx, maker, { environmentId: id, number: revision })
}

function empty(row: revisionStore.EnvironmentRow): Environment {
  return { ...row, valuesHidden: false, collectionItems: [], apiKeys: [] }
}

/** For an environment that is about to be added to its collection, with what it holds. */
export async function refuseAnotherEnvironment(
  tx: Tx,
  caller: Member,
  { collectionId, sealedBytes }: { collectionId: number; sealedBytes: number },
): Promise<void> {
  if (await store.hasEnvironments(tx, caller, { collectionId, count: limits.environmentsPerCollection })) {
    throw invalid(sentences.tooManyEnvironments)
  }
  if (sealedBytes === 0) return
  await revisionStore.lockCollection(tx, caller, collectionId)
  const otherBytes = await store.sealedBytesIn(tx, caller, { collectionId })
  if (otherBytes + sealedBytes > limits.collectionBytes) throw invalid(sentences.collectionTooLarge)
}
