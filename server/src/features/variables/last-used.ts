import type { Door } from "../../db/core.ts"
import * as store from "./store.ts"

/** Collects which keys were used. A job saves them all together, so that no read waits for a write. */
export interface LastUsed {
  note(keyHash: string): void
  flush(): Promise<void>
}

export function createLastUsed(door: Door): LastUsed {
  let used = new Set<string>()
  return {
    note: (keyHash) => void used.add(keyHash),
    async flush() {
      if (used.size === 0) return
      const keyHashes = [...used]
      // Not put back if the write fails: a key that is in use is noted again at its next read.
      used = new Set()
      await door.bookkeep((tx) => store.setLastUsed(tx, keyHashes, Date.now()))
    },
  }
}
