type Undo = () => unknown

export interface Cleanup {
  /** Registers how to undo what was just started or created. */
  later(undo: Undo): void
  /** How much there is to undo so far; pass it to `run` to undo only what came after. */
  mark(): number
  /** Undoes everything since the mark, last first. A failure does not stop the rest. */
  run(mark?: number): Promise<void>
}

/** Removes everything that this program starts or writes, also after Ctrl-C or a failure. */
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

  /** One run at a time: a second one waits for the first. */
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
