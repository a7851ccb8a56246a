import type { LeakedName } from "@envkeep/contract"
import { nextTurn } from "../../../../bounds/turns.ts"
import type { Reader } from "../../../../db/schema.ts"
import * as store from "./store.ts"

/** What has become of a name's value. */
export type Change = Pick<LeakedName, "state" | "renamedTo">

/**
 * What has become of the values of a revision, by the names that they had: replaced, removed, or still the same under
 * another name. Names that were not written since are not among them.
 */
export async function lastChanges(
  db: Reader,
  environmentId: number,
  revision: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Map<string, Change>> {
  const last = new Map<string, store.WrittenName>()
  const newNameOf = new Map<string, string>()
  for await (const written of namesWritten(db, environmentId, revision, upTo)) {
    last.set(written.name, written)
    if (written.previousName !== null) newNameOf.set(written.previousName, written.name)
  }
  const changes = new Map<string, Change>()
  for (const name of last.keys()) changes.set(name, follow(name))
  return changes

  /** Renames in a circle end where a name was already seen. */
  function follow(name: string, seen: ReadonlySet<string> = new Set()): Change {
    const written = last.get(name)
    if (written === undefined) return { state: "open", renamedTo: null }
    if (written.removed === 0)
      return { state: isOldValue(written, seen, revision) ? "open" : "replaced", renamedTo: null }
    const newName = newNameOf.get(name)
    if (newName === undefined || seen.has(newName)) return { state: "removed", renamedTo: null }
    const { state, renamedTo } = follow(newName, new Set([...seen, name]))
    return { state, renamedTo: renamedTo ?? newName }
  }
}

/** It was only renamed, or what the key could read was restored. */
function isOldValue({ previousName, action, source }: store.WrittenName, seen: ReadonlySet<string>, revision: number) {
  if (previousName !== null && seen.has(previousName)) return true
  const isRestored = action === "environment.restore" || action === "item.restore"
  return isRestored && source !== null && source <= revision
}

async function* namesWritten(db: Reader, environmentId: number, revision: number, upTo: number) {
  // No name is empty, so all names of the next revision come after this.
  for (let after = { revision: revision + 1, name: "" }; ; await nextTurn()) {
    const batch = await store.namesWritten(db, environmentId, { after, upTo })
    yield* batch
    after = batch.at(-1) ?? after
    if (batch.length < store.rowsPerBatch) return
  }
}
