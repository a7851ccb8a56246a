import type { Db } from "../../db/schema.ts"
import * as store from "./store.ts"

/** Remembers which keys were used, and writes it down once a minute for all of them: a read never waits for a write. */
export interface LastUsed {
  note(keyHash: string): void
  /** Writes down what is not yet written. */
  flush(): Promise<void>
  close(): Promise<void>
}

const writeEveryMs = 60_000

export function createLastUsed(db: Db, warn: (error: unknown) => void): LastUsed {
  let used = new Set<string>()
  const clock = setInterval(() => void flush(), writeEveryMs).unref()
  return {
    note: (keyHash) => void used.add(keyHash),
    flush,
    async close() {
      clearInterval(clock)
      await flush()
    },
  }

  async function flush(): Promise<void> {
    const written = used
    if (written.size === 0) return
    used = new Set()
    try {
      await store.setLastUsed(db, [...written], Date.now())
    } catch (error) {
      // Not worth failing anything for; those keys are written down when they are used again.
      warn(error)
    }
  }
}
