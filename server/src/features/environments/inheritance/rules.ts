import { type EnvironmentSummary, type environments, type InputOf, limits, sentences } from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import type { Core, Notes } from "../../../core/core.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { AppError, conflict, invalid, notFound } from "../../../errors.ts"
import { inTurn, type LockedEnvironment, lockEnvironment, raiseHeirs } from "../change-environment.ts"
import { refuseIfRebased } from "../conflicts/rules.ts"
import { changeItems, refuseEarly } from "../items/change-items.ts"
import { missingIn, valuesIn, type Wanted } from "../items/rules.ts"
import * as revisionStore from "../revision-store.ts"
import * as environmentStore from "../store.ts"
import * as store from "./store.ts"

// An environment has its own items, and those of its base that it does not set itself. What is locked together is locked
// from the base downwards. Values of a protected environment are for maintainers, so what inherits from one is protected.

type LockedRow = revisionStore.LockedRow

/** Makes an environment inherit from another one, or from none. */
export function rebaseEnvironment(
  core: Core,
  caller: Member,
  { id, baseId, revision }: InputOf<typeof environments.rebase>,
): Promise<EnvironmentSummary> {
  const action = "environment.rebase" as const
  return inTurn(caller, id, () =>
    core.change(caller, action, async (tx, notes) => {
      // Its writers wait, or they would not know of the new heir.
      const base = baseId === null ? undefined : await revisionStore.lockEnvironment(tx, caller, baseId)
      const environment = await revisionStore.lockEnvironment(tx, caller, id)
      if (environment === undefined) throw await outOfReach(tx, caller, { environmentId: id })
      if (environment.baseId === baseId) {
        notes.nothingChanged()
        return environment
      }
      await refuseIfRebased(tx, environment, revision)
      if (baseId !== null) {
        if (base?.collectionId !== environment.collectionId) throw notFound("Environment")
        const refusal = await refusalOfBase(tx, caller, { environment, base })
        if (refusal !== undefined) throw refusal
      }
      const number = await store.setBase(tx, environment, baseId)
      await revisionStore.addRevision(tx, { caller, action }, { environmentId: id, number })
      await raiseHeirs(tx, notes, { caller, id, revision: number })
      notes.about({ collectionId: environment.collectionId, environmentId: id })
      notes.invalidate({ environmentId: id })
      return { ...environment, baseId, revision: number }
    }),
  )
}

interface Joined {
  environment: Pick<LockedRow, "id" | "collectionId" | "isProtected">
  base: LockedRow
}

/** Why an environment cannot inherit from another one of its collection. Both are locked. */
export async function refusalOfBase(
  tx: Tx,
  caller: Member,
  { environment, base }: Joined,
): Promise<AppError | undefined> {
  // Before the collection: a writer of an heir locks it too, after the heir.
  const below = await store.lockHeirLevels(tx, environment.id)
  // Otherwise two changes at the same time could make a circle together.
  await revisionStore.lockCollection(tx, caller, environment.collectionId)
  const above = await baseIdsOf(tx, base.id)
  if (base.id === environment.id || above.includes(environment.id)) return invalid(sentences.inheritsFromItself)
  if (above.length + 1 + below.length > limits.inheritanceLevels) return invalid(sentences.tooManyLevels)
  // The topmost one has the most heirs. This environment may be among them already.
  const heirs = (await store.heirLevels(tx, above.at(-1) ?? base.id)).flat()
  const joined = new Set([...heirs, ...below.flat(), environment].map(({ id }) => id))
  if (joined.size > limits.heirsPerEnvironment) return invalid(sentences.tooManyHeirs)
  return base.isProtected && !environment.isProtected ? conflict(sentences.baseProtected) : undefined
}

/** Makes an environment that was just added inherit from a locked one. Its first revision is yet to be added. */
export async function inheritFrom(tx: Tx, caller: Member, { environment, base }: Joined): Promise<void> {
  const refusal = await refusalOfBase(tx, caller, { environment, base })
  if (refusal !== undefined) throw refusal
  await store.setBaseOnly(tx, environment, base.id)
}

/** What an environment inherits from, nearest first. Queries that use the ids stay within the caller's reach. */
export async function baseIdsOf(db: Reader, environmentId: number): Promise<number[]> {
  return (await store.basesOf(db, environmentId)).map(({ id }) => id)
}

export async function inheritedBytesOf(db: Reader, environmentId: number): Promise<number> {
  return (await store.basesOf(db, environmentId)).reduce((sum, { sealedBytes }) => sum + sealedBytes, 0)
}

/** Locks an environment after its base, if it has one: for a change that gives the base other heirs. */
export async function lockWithBase(tx: Tx, caller: Member, id: number): Promise<LockedRow | undefined> {
  for (;;) {
    const baseId = await store.currentBase(tx, id)
    if (baseId !== null) await revisionStore.lockEnvironment(tx, caller, baseId)
    const environment = await revisionStore.lockEnvironment(tx, caller, id)
    // It may have got another base before it was locked.
    if (environment === undefined || environment.baseId === baseId || environment.baseId === null) return environment
  }
}

/** Of an environment in the trash, before that is locked. Undefined if it has none, or none that is in use. */
export async function lockBaseOf(tx: Tx, caller: Member, id: number): Promise<LockedRow | undefined> {
  const baseId = await store.currentBase(tx, id)
  return baseId === null ? undefined : revisionStore.lockEnvironment(tx, caller, baseId)
}

/** The base of an environment that comes back from the trash, if it can still be its base. */
export async function usableBase(
  tx: Tx,
  caller: Member,
  { environment, base }: { environment: Joined["environment"]; base: LockedRow | undefined },
): Promise<number | null> {
  if (base?.collectionId !== environment.collectionId) return null
  return (await refusalOfBase(tx, caller, { environment, base })) === undefined ? base.id : null
}

/** For an environment that is about to be protected. */
export async function protectHeirs(
  tx: Tx,
  notes: Notes,
  { caller, environment, withHeirs }: { caller: Member; environment: LockedRow; withHeirs: boolean },
): Promise<void> {
  const { id, collectionId } = environment
  const heirs = await store.lockHeirLevels(tx, id)
  // Otherwise an heir could be opened at the same time.
  await revisionStore.lockCollection(tx, caller, collectionId)
  const open = heirs.flat().filter(({ isProtected }) => !isProtected)
  if (open.length === 0) return
  if (!withHeirs) throw conflict(sentences.heirsNotProtected(open.length), { heirs: shown(open) })
  await store.protect(
    tx,
    open.map((heir) => heir.id),
  )
  for (const heir of open) notes.also("environment.protect", { collectionId, environmentId: heir.id })
}

/** For an environment whose protection is about to end. */
export async function refuseToOpenHeir(tx: Tx, caller: Member, environment: LockedRow): Promise<void> {
  if (environment.baseId === null) return
  await revisionStore.lockCollection(tx, caller, environment.collectionId)
  const [base] = await environmentStore.environmentRows(tx, caller, { environmentId: environment.baseId })
  if (base?.isProtected) throw conflict(sentences.inheritsFromProtected)
}

/** The direct heirs of a locked environment that is about to be deleted. It must be said what becomes of them. */
export async function heirsToHandDown(
  tx: Tx,
  environment: LockedRow,
  copyDown: boolean | undefined,
): Promise<store.Heir[]> {
  // All, before one of them grows: then the collection is locked.
  const levels = await store.lockHeirLevels(tx, environment.id)
  if (levels.length > 0 && copyDown === undefined) {
    const heirs = levels.flat()
    throw conflict(sentences.hasHeirs(heirs.length), { heirs: shown(heirs) })
  }
  return levels[0] ?? []
}

function shown(heirs: readonly store.Heir[]): { id: number; name: string }[] {
  return heirs.map(({ id, name }) => ({ id, name })).sort((one, other) => one.id - other.id)
}

interface Deleted {
  caller: Member
  environment: LockedRow
  heirs: readonly store.Heir[]
  copyDown: boolean
}

/** Makes the direct heirs of a deleted environment inherit from its base, with or without a copy of what it held. */
export async function handDown(
  core: Core,
  tx: Tx,
  notes: Notes,
  { caller, environment, heirs, copyDown }: Deleted,
): Promise<void> {
  if (heirs.length === 0) return
  const { collectionId, baseId } = environment
  const action = "environment.rebase" as const
  const items = copyDown ? await valuesToCopy(core, tx, environment) : []
  const changes: [heir: LockedEnvironment, change: { put: Wanted; remove: [] }][] = []
  for (const { id: environmentId } of heirs) {
    const heir = await lockEnvironment(tx, core.vault, caller, { environmentId, action })
    changes.push([heir, { put: await missingIn(tx, heir, items), remove: [] }])
  }
  await refuseEarly(tx, notes, changes)
  for (const [heir, { put }] of changes) {
    await rebaseWith(tx, notes, heir, { baseId, put })
    notes.also(action, { collectionId, environmentId: heir.id })
  }
}

/** Gives a locked environment another base and, in the same revision, items that it does not have yet. */
export async function rebaseWith(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  { baseId, put }: { baseId: number | null; put: Wanted },
): Promise<void> {
  if (put.length > 0) {
    await store.setBaseOnly(tx, environment, baseId)
    await changeItems(tx, notes, environment, { put, remove: [] })
    return
  }
  const { caller, id } = environment
  const number = await store.setBase(tx, environment, baseId)
  await revisionStore.addRevision(tx, environment, { environmentId: id, number })
  await raiseHeirs(tx, notes, { caller, id, revision: number })
  notes.invalidate({ environmentId: id })
}

async function valuesToCopy(core: Core, tx: Tx, environment: LockedRow): Promise<Wanted> {
  const dataKey = await core.vault.dataKey(tx, environment.collectionId, environment.wrappedKey)
  const values = await valuesIn(tx, environment, dataKey)
  return values.map(({ name, value }) => {
    if (value === null) throw new AppError("unprocessable", sentences.valueToCopyDamaged)
    return { name, value }
  })
}
