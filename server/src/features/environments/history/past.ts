import { limits, sentences } from "@envkeep/contract"
import { byParents, inBatches, readBatches } from "../../../bounds/batches.ts"
import { sortedNames } from "../../../bounds/sorted-names.ts"
import { eachWithPauses } from "../../../bounds/turns.ts"
import type { Reader } from "../../../db/schema.ts"
import { AppError, notFound } from "../../../errors.ts"
import * as store from "./store.ts"

// What users and keys have in common when they read the past.

export type { Reached, RevisionRow, VersionRow } from "./store.ts"

type Kept = store.KeptHistory & { row: store.RevisionRow }

/** A revision that can still be read, and how much the whole history takes. */
export async function keptRevision(db: Reader, environment: store.Reached, number: number): Promise<Kept> {
  const history = await store.keptHistory(db, environment)
  if (history === undefined) throw notFound("Environment")
  if (number < history.historyFrom) throw new AppError("gone", sentences.revisionPruned)
  const row = await store.revisionRow(db, environment, number)
  if (row === undefined) throw notFound("Revision")
  return { ...history, row }
}

/** One of the environments whose items made up a state, and the revision that it had. */
export interface Layer {
  environment: store.Reached
  revision: number
  isProtected: boolean
  /** No more than this is loaded for it. */
  maxBytes: number
}

export interface PastState {
  row: store.RevisionRow
  /** The environment itself, then what it inherited from, nearest first. */
  layers: [Layer, ...Layer[]]
  /** Whether something that it inherited from is no longer kept. Then it is not among the layers, nor what is above. */
  isInheritedPruned: boolean
}

/** What made up an environment at a revision that can still be read. */
export async function pastState(db: Reader, environment: store.Reached, revision: number): Promise<PastState> {
  return withBases(db, environment, await keptRevision(db, environment, revision))
}

/** The same, or undefined if there is no such revision any more. */
export async function findPastState(
  db: Reader,
  environment: store.Reached,
  revision: number,
): Promise<PastState | undefined> {
  const kept = await findKept(db, environment, revision)
  return kept && withBases(db, environment, kept)
}

async function withBases(db: Reader, environment: store.Reached, kept: Kept): Promise<PastState> {
  const layers: PastState["layers"] = [toLayer(environment, kept)]
  let { baseId, baseRevision } = kept.row
  while (baseId !== null && baseRevision !== null && layers.length <= limits.inheritanceLevels) {
    const base = { id: baseId, collectionId: environment.collectionId }
    const keptBase = await findKept(db, base, baseRevision)
    if (keptBase === undefined) return { row: kept.row, layers, isInheritedPruned: true }
    layers.push(toLayer(base, keptBase))
    ;({ baseId, baseRevision } = keptBase.row)
  }
  return { row: kept.row, layers, isInheritedPruned: false }
}

function toLayer(environment: store.Reached, { row, isProtected, storedBytes }: Kept): Layer {
  const maxBytes = Math.min(storedBytes, limits.environmentBytes)
  return { environment, revision: row.number, isProtected, maxBytes }
}

async function findKept(db: Reader, environment: store.Reached, revision: number): Promise<Kept | undefined> {
  const history = await store.keptHistory(db, environment)
  if (history === undefined || revision < history.historyFrom) return undefined
  const row = await store.revisionRow(db, environment, revision)
  return row && { ...history, row }
}

/** What readers got: of each name the nearest version, without names that were removed. */
export async function effectiveState(db: Reader, layers: readonly Layer[]): Promise<store.VersionRow[]> {
  return [...(await effectiveByName(db, layers)).values()]
}

/** The same by name. */
export async function effectiveByName(db: Reader, layers: readonly Layer[]): Promise<Map<string, store.VersionRow>> {
  const found = new Map<string, store.VersionRow>()
  for (const { environment, revision } of layers) {
    await eachWithPauses(await stateAt(db, environment, { revision }), (version) => {
      if (!isRemoved(version) && !found.has(version.name)) found.set(version.name, version)
    })
  }
  return found
}

/** The last version of each name up to a revision, in batches. Names that were removed by then are among them. */
export async function stateAt(
  db: Reader,
  environment: store.Reached,
  { revision }: { revision: number },
): Promise<store.VersionRow[]> {
  return inBatches(store.rowsPerBatch, (last: store.VersionRow | undefined) =>
    store.stateRows(db, environment, { revision, afterName: last?.name ?? "" }),
  )
}

/** The same for some names only. */
export async function stateOfNames(
  db: Reader,
  environment: store.Reached,
  { revision, names }: { revision: number; names: readonly string[] },
): Promise<store.VersionRow[]> {
  return byParents(names, store.rowsPerBatch, (some) => store.stateRows(db, environment, { revision, names: some }))
}

/** The names that were written after one revision and up to another, sorted. */
export async function namesChanged(
  db: Reader,
  environment: store.Reached,
  { after, upTo }: { after: number; upTo: number },
): Promise<string[]> {
  const names = sortedNames()
  // No name is empty, so all names of the next revision come after this.
  const first = { revision: after + 1, name: "" }
  const batches = readBatches(store.rowsPerBatch, (last: typeof first | undefined) =>
    store.writtenNames(db, environment, { after: last ?? first, upTo }),
  )
  for await (const batch of batches) await names.add(batch.map(({ name }) => name))
  return names.all()
}

/** Whether what readers got has a value that was erased since. One that a nearer environment has overridden is not. */
export async function hasErased(db: Reader, layers: readonly Layer[]): Promise<boolean> {
  for (const [at, { environment, revision }] of layers.entries()) {
    const erased = new Set(await store.erasedNames(db, environment, revision))
    for (const nearer of erased.size === 0 ? [] : layers.slice(0, at)) {
      const names = [...erased]
      for (const version of await stateOfNames(db, nearer.environment, { revision: nearer.revision, names })) {
        if (!isRemoved(version)) erased.delete(version.name)
      }
    }
    if (erased.size > 0) return true
  }
  return false
}

export function isRemoved({ sealedValue, erasedAt }: store.VersionRow): boolean {
  return sealedValue === null && erasedAt === null
}

export function isErased({ erasedAt }: store.VersionRow): boolean {
  return erasedAt !== null
}
