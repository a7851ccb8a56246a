import type { Door } from "../../db/core.ts"
import * as store from "./store.ts"

/** Collects which keys were used; a job writes them down for all keys at once, so that no read waits for a write. */
export interface LastUsed {
  note(keyHash: string): void
  /** Writes down what is not yet written. */
  flush(): Promise<void>
}

export function createLastUsed(door: Door): LastUsed {
  let used = new Set<string>()
  return {
    note: (keyHash) => void used.add(keyHash),
    async flush() {
      const written = used
      if (written.size === 0) return
      // Not put back when the write fails: a key in use is noted again, and one that is not can wait.
      used = new Set()
      await door.bookkeep((tx) => store.setLastUsed(tx, [...written], Date.now()))
    },
  }
}
