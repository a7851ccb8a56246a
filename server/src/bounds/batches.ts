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

/** Pages of a list, each with the place where the next one begins: null after the last page. */
export async function* pagesFrom<Place, Page extends { next: Place | null }>(
  first: Place,
  read: (place: Place) => Promise<Page>,
): AsyncGenerator<Page> {
  for (let place = first; ; ) {
    const page = await read(place)
    yield page
    if (page.next === null) return
    place = page.next
    await nextTurn()
  }
}

/** Batches of rows until there are no more. `read` returns the rows after the last one, in the order of an index. */
export async function* readBatches<Row>(
  rowsPerBatch: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  const pages = pagesFrom<Row | undefined, { batch: Row[]; next: Row | undefined | null }>(undefined, async (last) => {
    const batch = await read(last)
    return { batch, next: batch.length < rowsPerBatch ? null : batch.at(-1) }
  })
  for await (const { batch } of pages) yield batch
}

/** All rows, read in batches. */
export async function inBatches<Row>(
  rowsPerBatch: number,
  read: (last: Row | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = []
  for await (const batch of readBatches(rowsPerBatch, read)) for (const row of batch) all.push(row)
  return all
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

/** Works on all of them, some at a time. If that fails, the rest is given back one by one, to be tried again later. */
export async function workInBatches<Element>(
  all: readonly Element[],
  maxCount: number,
  work: (some: readonly Element[]) => Promise<void>,
  giveBack: (one: Element) => void,
): Promise<void> {
  for (let start = 0; start < all.length; start += maxCount) {
    if (start > 0) await nextTurn()
    try {
      await work(all.slice(start, start + maxCount))
    } catch (error) {
      for (const one of all.slice(start)) giveBack(one)
      throw error
    }
  }
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
