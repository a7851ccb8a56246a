import type { LeakedName } from "@envkeep/contract"
import { readBatches } from "../../../../bounds/batches.ts"
import { eachWithPauses } from "../../../../bounds/turns.ts"
import type { Reader } from "../../../../db/schema.ts"
import * as store from "./store.ts"

/** What has become of a name's value. */
export type Change = Pick<LeakedName, "state" | "renamedTo">

/** A value of the revision, and the name under which it is or was last. */
interface Traced {
  name: string
  state: Change["state"]
}

/**
 * What has become of the values of a revision, by the names that they had: replaced, removed, or still the same, perhaps
 * under another name. Names that were not written since are not among them.
 */
export async function lastChanges(
  db: Reader,
  environmentId: number,
  revision: number,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<Map<string, Change>> {
  const values = new TracedValues(revision)
  let together: store.WrittenName[] = []
  for await (const written of namesWritten(db, environmentId, revision, upTo)) {
    if (together[0] !== undefined && together[0].revision !== written.revision) {
      await follow(values, together)
      together = []
    }
    together.push(written)
  }
  await follow(values, together)
  return values.changes()
}

/** What one revision has written. First all new names: two values may have swapped theirs. */
async function follow(values: TracedValues, together: readonly store.WrittenName[]): Promise<void> {
  const renames: { to: string; value: Traced | undefined }[] = []
  const freed = new Set<string>()
  await eachWithPauses(together, ({ name, previousName }) => {
    if (previousName === null) return
    freed.add(previousName)
    renames.push({ to: name, value: values.take(previousName) })
  })
  await eachWithPauses(renames, ({ to, value }) => values.rename(to, value))
  await eachWithPauses(together, (written) => {
    if (written.previousName === null && !freed.has(written.name)) values.write(written)
  })
}

/** Each value is found by its name and moves with it, so a chain of thousands of new names takes one step for each. */
class TracedValues {
  readonly #revision: number
  /** By the name that it had at first. */
  readonly #first = new Map<string, Traced>()
  /** By the name that it has now. */
  readonly #current = new Map<string, Traced>()

  constructor(revision: number) {
    this.#revision = revision
  }

  take(name: string): Traced | undefined {
    const value = this.#at(name)
    this.#current.delete(name)
    return value
  }

  rename(to: string, value: Traced = { name: to, state: "replaced" }): void {
    const removed = this.#removedAt(to)
    if (removed !== undefined) removed.state = "replaced"
    if (!this.#first.has(to)) this.#first.set(to, value)
    this.#put(value, to)
  }

  write({ name, removed, action, source }: store.WrittenName): void {
    const value = this.#at(name)
    if (removed === 1) {
      if (value !== undefined) value.state = "removed"
      this.#current.delete(name)
    } else if (isRestored(action) && source !== null && source <= this.#revision) {
      const restored = this.#first.get(name) ?? { name, state: "open" }
      if (value !== undefined) value.state = "replaced"
      this.#put(restored, name)
      restored.state = "open"
    } else {
      const replaced = value ?? this.#removedAt(name)
      if (replaced === undefined) return
      replaced.state = "replaced"
      this.#current.set(name, replaced)
    }
  }

  async changes(): Promise<Map<string, Change>> {
    const changes = new Map<string, Change>()
    await eachWithPauses(this.#first, ([name, value]) => {
      changes.set(name, { state: value.state, renamedTo: value.name === name ? null : value.name })
    })
    return changes
  }

  /** The value that has the name now. One that is not known yet was there at the revision. */
  #at(name: string): Traced | undefined {
    if (this.#first.has(name)) return this.#current.get(name)
    const value: Traced = { name, state: "open" }
    this.#first.set(name, value)
    this.#current.set(name, value)
    return value
  }

  #put(value: Traced, name: string): void {
    if (this.#current.get(value.name) === value) this.#current.delete(value.name)
    value.name = name
    this.#current.set(name, value)
  }

  /** What was removed under this name. Another value may have the name again. */
  #removedAt(name: string): Traced | undefined {
    const value = this.#first.get(name)
    return value?.state === "removed" && value.name === name ? value : undefined
  }
}

function isRestored(action: string | null): boolean {
  return action === "environment.restore" || action === "item.restore"
}

async function* namesWritten(db: Reader, environmentId: number, revision: number, upTo: number) {
  // No name is empty, so all names of the next revision come after this.
  const first = { revision: revision + 1, name: "" }
  const batches = readBatches(store.rowsPerBatch, (last: store.WrittenName | undefined) =>
    store.namesWritten(db, environmentId, { after: last ?? first, upTo }),
  )
  for await (const batch of batches) yield* batch
}
