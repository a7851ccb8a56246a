import { nextTurn } from "./turns.ts"

/** Reads a list of any length in the order of ids. Each batch is one piece of work on the thread. */
export async function inBatches<Row extends { id: number }>(
  rowsPerBatch: number,
  read: (afterId: number) => Promise<Row[]>,
): Promise<Row[]> {
  const all: Row[] = []
  for (;;) {
    const batch = await read(all.at(-1)?.id ?? 0)
    for (const row of batch) all.push(row)
    if (batch.length < rowsPerBatch) return all
    await nextTurn()
  }
}
