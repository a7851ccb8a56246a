import type { KeyCaller } from "../../access/caller.ts"
import { existingKeys, type KeyHolder } from "../../access/key-holder.ts"
import { networkOf } from "../../access/network.ts"
import { programOf } from "../../access/program.ts"
import { workInBatches } from "../../bounds/batches.ts"
import type { Door } from "../../core/core.ts"
import { minuteMs } from "../../durations.ts"
import { countRead, goneAt, type Habits, keepGoneMs, noHabits } from "./rules.ts"
import * as store from "./store.ts"

/** A program that reads with a key and names itself. */
interface Program extends Habits {
  id: string
  ownerId: number
  /** As it is saved the next time. */
  row: store.SavedInstance
  savedAt: number
}

type Holder = Pick<KeyHolder, "keyId" | "ownerId" | "environmentId">

/** Anyone with a key can send any number of labels. */
const defaultMost = { total: 50_000, perOwner: 10_000 }
const rowsPerBatch = 250
/** That a program was seen again is saved this often. What it holds is saved at once. */
const saveSeenEveryMs = minuteMs

/** Remembers which programs read with keys, and which revision each of them got. A job saves it for all together. */
export class InstanceTracker {
  readonly #door: Door
  readonly #now: () => number
  readonly #most: typeof defaultMost
  /** What is gone stays until its row is purged, so that there are few rows, too. */
  readonly #programs = new Map<string, Program>()
  /** Of each owner, in the order in which they were seen. */
  readonly #owned = new Map<number, Set<Program>>()
  /** Their rows are to be written. Of one that has made room, the row is to be deleted. */
  readonly #unsaved = new Set<Program>()

  constructor(door: Door, now: () => number = Date.now, most = defaultMost) {
    this.#door = door
    this.#now = now
    this.#most = most
  }

  noteRead(caller: KeyCaller, { holder, rendered }: { holder: Holder; rendered: { revision: number } }): void {
    const program = this.#find(caller, holder)
    if (program === undefined) return
    countRead(program, this.#now())
    this.#saw(program, holder.environmentId, rendered.revision)
  }

  /** The caller is told of changes from now on, until the returned function is called. */
  watches(caller: KeyCaller, holder: Holder): () => void {
    const program = this.#find(caller, holder)
    if (program === undefined) return () => undefined

    program.streams++
    program.hasWatched = true
    this.#saw(program, holder.environmentId, caller.instance?.holds || program.row.revision)
    this.#unsaved.add(program)

    return () => {
      program.streams--
      program.row.seen_at = this.#now()
      if (this.#has(program)) this.#unsaved.add(program)
    }
  }

  /** What fails is tried again the next time. */
  async flush(): Promise<void> {
    this.#refresh()
    this.#makeRoom()
    const unsaved = [...this.#unsaved]
    this.#unsaved.clear()
    const save = (some: readonly Program[]) => this.#save(some)
    await workInBatches(unsaved, rowsPerBatch, save, (one) => this.#unsaved.add(one))
  }

  /** Without those that are gone. */
  size(): number {
    return Array.from(this.#programs.values()).filter((program) => !isGone(program, this.#now())).length
  }

  #find({ client, address, instance }: KeyCaller, { keyId, ownerId }: Holder): Program | undefined {
    if (instance === undefined) return undefined
    const { label, process } = instance
    const id = `${keyId} ${process} ${label}`
    const at = this.#now()
    const known = this.#programs.get(id)
    if (known?.ownerId === ownerId) return isGone(known, at) ? Object.assign(known, noHabits) : known

    // Its collection may have got another owner.
    if (known !== undefined) this.#remove(known)
    const from = { api_key_id: keyId, label, process, client: programOf(client) ?? "", address: networkOf(address) }
    const times = { since_at: at, first_seen_at: at, seen_at: at, gone_at: at }
    const row = { ...from, environment_id: 0, revision: 0, ...times, is_watching: 0, is_once: 1 }
    return { id, ownerId, row, savedAt: 0, ...noHabits }
  }

  #saw(program: Program, environmentId: number, revision: number): void {
    const { row } = program
    row.seen_at = this.#now()
    const isNew = row.revision !== revision || row.environment_id !== environmentId
    if (isNew) Object.assign(row, { environment_id: environmentId, revision, since_at: row.seen_at })
    if (isNew || row.seen_at - program.savedAt >= saveSeenEveryMs) this.#unsaved.add(program)

    const owned = this.#owned.get(program.ownerId) ?? new Set()
    owned.delete(program)
    this.#owned.set(program.ownerId, owned.add(program))
    this.#programs.set(program.id, program)
    // Between two flushes there may be more.
    if (this.#programs.size > 2 * this.#most.total) this.#makeRoom()
  }

  /** Watchers are seen for as long as they are connected. */
  #refresh(): void {
    const at = this.#now()
    for (const program of this.#programs.values()) {
      const { streams, row, savedAt } = program
      if (streams > 0 && at - savedAt >= saveSeenEveryMs) this.#saw(program, row.environment_id, row.revision)
      if (goneAt(program.row.seen_at, program) + keepGoneMs <= at) this.#remove(program)
    }
  }

  /** Owners with more than their share lose some. */
  #makeRoom(): void {
    const owned = [...this.#owned.values()]
    const share = fairShare(
      Array.from(owned, ({ size }) => size),
      this.#most,
    )
    for (const programs of owned) {
      if (programs.size <= share) continue
      for (const program of firstToGo(programs, this.#now()).slice(0, programs.size - share)) {
        this.#remove(program)
        if (program.savedAt > 0) this.#unsaved.add(program)
      }
    }
  }

  #remove(program: Program): void {
    if (this.#has(program)) this.#programs.delete(program.id)
    this.#unsaved.delete(program)
    const owned = this.#owned.get(program.ownerId)
    owned?.delete(program)
    if (owned?.size === 0) this.#owned.delete(program.ownerId)
  }

  #has(program: Program): boolean {
    return this.#programs.get(program.id) === program
  }

  async #save(some: readonly Program[]): Promise<void> {
    const at = this.#now()
    const keyIds = await existingKeys(this.#door.db, [...new Set(some.map(({ row }) => row.api_key_id))])
    // The rows of a deleted key were deleted with it.
    for (const program of some) if (!keyIds.has(program.row.api_key_id)) this.#remove(program)

    const removed = some.filter((program) => !this.#has(program)).map(({ row }) => row)
    if (removed.length > 0) await this.#door.bookkeep((tx) => store.removeInstances(tx, removed))

    const saved = some.filter((program) => this.#has(program))
    if (saved.length > 0) await this.#door.bookkeep((tx) => store.saveInstances(tx, saved.map(rowToSave)))
    for (const program of saved) program.savedAt = at
  }
}

function rowToSave(program: Program): store.SavedInstance {
  program.row.is_watching = program.streams > 0 ? 1 : 0
  program.row.is_once = program.hasWatched || program.reads > 1 ? 0 : 1
  program.row.gone_at = goneAt(program.row.seen_at, program)
  return { ...program.row }
}

function isGone(program: Program, at: number): boolean {
  return program.streams === 0 && goneAt(program.row.seen_at, program) <= at
}

/** An owner's, first those that are gone or were replaced, then those that were not seen for the longest time. */
function firstToGo(programs: Iterable<Program>, at: number): Program[] {
  const all = [...programs]
  const nameOf = ({ row }: Program) => `${row.api_key_id} ${row.label}`
  const last = new Map(all.map((one) => [nameOf(one), one]))
  const wasReplaced = (one: Program) => one.row.is_once === 1 && last.get(nameOf(one)) !== one
  return [...new Set([...all.filter((one) => isGone(one, at) || wasReplaced(one)), ...all])]
}

/** How many each owner may have, so that there are few enough in all. Who has fewer leaves room to the others. */
export function fairShare(sizes: readonly number[], { total, perOwner }: typeof defaultMost): number {
  const ascending = sizes.map((size) => Math.min(size, perOwner)).sort((one, other) => one - other)
  let room = total
  for (const [at, size] of ascending.entries()) {
    const share = Math.floor(room / (ascending.length - at))
    if (size > share) return Math.max(1, share)
    room -= size
  }
  return perOwner
}
