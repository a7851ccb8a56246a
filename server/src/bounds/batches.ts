import { nextTurn } from "./turns.ts"

// Statements on many rows, some rows at a time: each batch is one piece of work on the thread.

interface BatchBounds<Element> {
  maxCount: number
  /** Of all elements together. One that is larger than that is a batch of its own. */
  maxSize?: number
  sizeOf?(element: Element): number
}

/** Cuts a list into batches for one statement each. */
export function* batches<Element>(
  all: Iterable<Element>,
  { maxCount, maxSize = Number.POSITIVE_INFINITY, sizeOf = () => 0 }: BatchBounds<Element>,
): Generator<Element[]> {
  let batch: Element[] = []
  let size = 0
  for (const element of all) {
    if (batch.length === maxCount || (batch.length > 0 && size + sizeOf(element) > maxSize)) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(element)
    size += sizeOf(element)
  }
  if (batch.length > 0) yield batch
}

/** Reads rows until there are no more. `read` returns those after the last one, in the order of an index. */
export async function inBatches<Row>(
  rowsPerBatch: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const batch = await read(all.at(-1))
    for (const row of batch) all.push(row)
    if (batch.length < rowsPerBatch) return all
    await nextTurn()
  }
}

/** Reads what belongs to many parents, some parents at a time. */
export async function byParents<Parent, Row>(
  parents: readonly Parent[],
  parentsPerBatch: number,
  read: (some: readonly Parent[]) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = []
  for (let at = 0; at < parents.length; at += parentsPerBatch) {
    if (at > 0) await nextTurn()
    for (const row of await read(parents.slice(at, at + parentsPerBatch))) all.push(row)
  }
  return all
}

/**
 * Repeats a statement that deletes up to so many rows until there are no more, or the signal is aborted, and returns how many
 * there were.
 */
export async function deleteInBatches(
  rowsPerBatch: number,
  deleteSome: () => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let deleted = 0; ; ) {
    const some = await deleteSome()
    deleted += some
    if (some < rowsPerBatch || signal?.aborted) return deleted
    await nextTurn()
  }
}
