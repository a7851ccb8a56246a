import type { UserCaller } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import { programOf } from "../../access/program.ts"
import type { Door } from "../../core/core.ts"
import * as store from "./store.ts"

/** Remembers how tokens are used. A job saves it for all tokens together, so that no request waits for a write. */
export interface TokenUses {
  note(id: number, used: Pick<UserCaller, "address" | "client">): void
  flush(): Promise<void>
}

export function createTokenUses(door: Door): TokenUses {
  let uses = new Map<number, Pick<UserCaller, "address" | "client">>()
  return {
    note: (id, used) => void uses.set(id, used),
    async flush() {
      if (uses.size === 0) return
      const saving = uses
      uses = new Map()
      const rows = Array.from(saving, ([id, { address, client }]) => ({
        id,
        by: programOf(client),
        from: networkOf(address),
      }))
      try {
        // In this order on every node: two that save the same rows must not wait for each other in a circle.
        const inOrder = rows.toSorted((one, other) => one.id - other.id)
        await door.bookkeep((tx) => store.setLastUsed(tx, inOrder, Date.now()))
      } catch (error) {
        // Saved at the next flush, unless the token was used again.
        uses = new Map([...saving, ...uses])
        throw error
      }
    },
  }
}
