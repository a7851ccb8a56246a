type Undo = () => unknown

export interface Cleanup {
  /** Remembers how to undo what was just started or made. */
  later(undo: Undo): void
  /** How much there is to undo; `run` can be told to stop there. */
  mark(): number
  /** Undoes everything since the mark, the last first; what cannot be undone does not keep the rest from it. */
  run(mark?: number): Promise<void>
}

/** Nothing this program starts or writes outlives it: not after Ctrl-C, and not after a failure. */
export function createCleanup(): Cleanup {
  const undos: Undo[] = []
  let running = Promise.resolve()
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, async () => {
      await run()
      process.exit(signal === "SIGINT" ? 130 : 143)
    })
  }
  return { later: (undo) => void undos.push(undo), mark: () => undos.length, run }

  /** One after the other: whoever asks while it runs waits for what is being undone. */
  function run(mark = 0): Promise<void> {
    running = running.then(async () => {
      while (undos.length > mark) await attempt(undos.pop())
    })
    return running
  }
}

async function attempt(undo: Undo | undefined): Promise<void> {
  try {
    await undo?.()
  } catch (error) {
    process.stderr.write(`bench: could not clean up: ${(error as Error).message}\n`)
  }
}
