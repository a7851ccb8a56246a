import type { KeyCaller } from "../../access/caller.ts"
import type { Door } from "../../db/core.ts"
import * as store from "./store.ts"

/** Collects which keys were used. A job saves them all together, so that no read waits for a write. */
export interface LastUsed {
  note(caller: KeyCaller): void
  /** Notes a key that was never used before. */
  noteFirst(caller: KeyCaller): void
  flush(): Promise<void>
  /** Saves at once what would wait, if a key was used for the first time: its maker may be waiting to see that. */
  flushFirst(): Promise<void>
}

export function createLastUsed(door: Door): LastUsed {
  let used = new Map<string, string | undefined>()
  let hasFirst = false

  function note({ keyHash, userAgent }: KeyCaller): void {
    used.set(keyHash, userAgent)
  }
  async function flush(): Promise<void> {
    if (used.size === 0) return
    const uses = Array.from(used, ([keyHash, userAgent]) => ({ keyHash, by: programOf(userAgent) }))
    // Not put back if the write fails: a key that is in use is noted again at its next read.
    used = new Map()
    hasFirst = false
    await door.bookkeep((tx) => store.setLastUsed(tx, uses, Date.now()))
  }
  return {
    note,
    noteFirst(caller) {
      note(caller)
      hasFirst = true
    },
    flush,
    flushFirst: async () => (hasFirst ? flush() : undefined),
  }
}

/** The program and its version, such as `curl/8.5.0`: what comes first in the header `User-Agent`. Never a key. */
function programOf(userAgent: string | undefined): string | null {
  if (userAgent?.startsWith("ek_")) return null
  return /^[a-z][\w.+-]{0,39}(\/[\w.+-]{1,20})?/i.exec(userAgent ?? "")?.[0] ?? null
}
