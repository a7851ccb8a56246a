import { limits } from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import * as store from "./store.ts"

// What is restored while its name is taken gets the first of `name (2)`, `name (3)` and so on that is free. One statement
// finds it, whatever is taken.

/** Names of collections need not differ, so the caller may look before the change. */
export function freeCollectionName(db: Reader, caller: Member, name: string): Promise<string> {
  return freeName(name, (names) => store.takenByCollections(db, caller, names))
}

/** For a collection that has room for the environment, whose name in it must be its own. */
export function freeEnvironmentName(
  tx: Tx,
  { collectionId, name }: { collectionId: number; name: string },
): Promise<string> {
  return freeName(name, (names) => store.takenByEnvironments(tx, collectionId, names))
}

/** As many as a collection can have environments: if there is room for another one, a name is free too. */
const triedNames = limits.environmentsPerCollection

/** With so many collections, it gets the time as its number. */
async function freeName(name: string, taken: (names: string[]) => Promise<string[]>): Promise<string> {
  const characters = [...name]
  const numbered = Array.from({ length: triedNames - 1 }, (_, index) => withNumber(characters, index + 2))
  const names = [name, ...numbered]
  const isTaken = new Set(await taken(names))
  return names.find((one) => !isTaken.has(one)) ?? withNumber(characters, Date.now())
}

/** Cut to the length that a name can have. */
function withNumber(characters: readonly string[], number: number): string {
  const suffix = ` (${number})`
  const start = characters.slice(0, limits.name - suffix.length).join("")
  return start.trimEnd() + suffix
}
