import { LRUCache } from "lru-cache"
import type { Member } from "../../access/caller.ts"
import { mapWithPauses } from "../../bounds/turns.ts"
import type { Reader } from "../../db/schema.ts"
import * as store from "./store.ts"

/** A name as it is shown and as it is searched. */
export interface Name {
  name: string
  folded: string
}

/**
 * Text without the difference between upper and lower case, in any alphabet. The engines could not do this: SQLite knows
 * the case of ASCII letters only, and what PostgreSQL knows depends on its locale.
 */
export function fold(text: string): string {
  // In Greek, the lower case of a letter depends on whether it ends a word.
  return text.toLowerCase().replaceAll("ς", "σ")
}

interface AskedEnvironment {
  id: number
  revision: number
  itemCount: number
}

/** About 200,000 names of usual length. A user who reaches more reads some from the database in each search. */
const maxBytes = 32 * 1024 * 1024
/** Of two short texts and what refers to them, beside their characters. */
const bytesPerName = 100
/** A text that has such a character takes two bytes for each of them. */
const wide = /[^\0-\xff]/

/**
 * Keeps names in memory, because a search runs with almost every key that is pressed. Every change of an environment's
 * items raises its revision, so names that were read for the same revision are the same, on every node. Whether the
 * caller reaches the environment was decided when its revision was read.
 */
export function createNames() {
  const kept = new LRUCache<number, { revision: number; names: Name[]; bytes: number }>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
  })

  /** By the ids of the environments, which the snapshot has with these revisions. Those without items are left out. */
  async function namesOf(
    snapshot: Reader,
    caller: Member,
    environments: readonly AskedEnvironment[],
  ): Promise<Map<number, Name[]>> {
    const found = new Map<number, Name[]>()
    const missing = new Map<number, AskedEnvironment>()
    for (const environment of environments) {
      const held = kept.get(environment.id)
      if (held?.revision === environment.revision) found.set(environment.id, held.names)
      else if (environment.itemCount > 0) missing.set(environment.id, environment)
    }
    if (missing.size === 0) return found
    for (const { environmentId, lines } of await store.nameRows(snapshot, caller, [...missing.keys()])) {
      const names = await mapWithPauses(lines.split("\n"), (name) => ({ name, folded: fold(name) }))
      const { revision = 0 } = missing.get(environmentId) ?? {}
      const bytes = 2 * lines.length * (wide.test(lines) ? 2 : 1) + bytesPerName * names.length
      kept.set(environmentId, { revision, names, bytes })
      found.set(environmentId, names)
    }
    return found
  }

  return { of: namesOf }
}

export type KeptNames = ReturnType<typeof createNames>
