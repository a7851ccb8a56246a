import { sentences } from "@envkeep/contract"
import { nextTurn } from "../../../bounds/turns.ts"
import type { Reader } from "../../../db/schema.ts"
import { AppError, notFound } from "../../../errors.ts"
import * as store from "./store.ts"

// What users and keys have in common when they read the past.

export type { Reached, RevisionRow, VersionRow } from "./store.ts"

/** A revision that can still be read, and how much the whole history takes. */
export async function keptRevision(
  db: Reader,
  environment: store.Reached,
  number: number,
): Promise<{ row: store.RevisionRow; storedBytes: number }> {
  const history = await store.keptHistory(db, environment)
  if (history === undefined) throw notFound("Environment")
  if (number < history.historyFrom) throw new AppError("gone", sentences.revisionPruned)
  const row = await store.revisionRow(db, environment, number)
  if (row === undefined) throw notFound("Revision")
  return { row, storedBytes: history.storedBytes }
}

/** The last version of each name up to a revision, in batches. Names that were removed by then are among them. */
export async function stateAt(db: Reader, environment: store.Reached, at: store.StateAt): Promise<store.VersionRow[]> {
  const all: store.VersionRow[] = []
  for (;;) {
    const batch = await store.stateRows(db, environment, { ...at, afterName: all.at(-1)?.name ?? "" })
    for (const row of batch) all.push(row)
    if (batch.length < store.rowsPerBatch) return all
    await nextTurn()
  }
}

/** Whether the state at a revision has a value that was erased since. */
export function hasErased(db: Reader, environment: store.Reached, revision: number): Promise<boolean> {
  return store.hasErased(db, environment, revision)
}

export function isRemoved({ sealedValue, erasedAt }: store.VersionRow): boolean {
  return sealedValue === null && erasedAt === null
}

export function isErased({ erasedAt }: store.VersionRow): boolean {
  return erasedAt !== null
}
