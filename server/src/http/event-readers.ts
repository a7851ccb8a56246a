import { sentences } from "@envkeep/contract"
import { BoundError } from "../bounds/bound-error.ts"
import { eachWithPauses } from "../bounds/turns.ts"
import type { EventStream } from "./event-stream.ts"

/** Someone who reads a stream of events about one thing. */
export interface EventReader {
  /** The id of what it follows. */
  topic: number
  /** Only so many may be counted together: those of a key, or of a user. */
  owner: string
  /** When there are too many readers, the group that has the most of them loses one. */
  group: number
  stream: EventStream
}

export interface ReaderBounds {
  total: number
  perOwner: number
}

interface EventReadersParts<Reader extends EventReader> {
  bounds: ReaderBounds
  /** Looks up what the readers have not been told yet, and sends it. One lookup serves all readers of many topics. */
  update(readers: Reader[]): Promise<void>
  warn(error: unknown): void
}

const retryAfterSeconds = 60
const retryDelayMs = 1_000
/** How many topics, or new readers, are looked up at once. */
const lookedUpAtOnce = 500

/** Keeps the readers of event streams, and has them updated when what they follow may have changed. */
export class EventReaders<Reader extends EventReader> {
  readonly #parts: EventReadersParts<Reader>
  readonly #readersOf = new Map<number, Set<Reader>>()
  readonly #countOfOwner = new Map<string, number>()
  /** All readers, each with what forgets it. */
  readonly #releases = new Map<Reader, () => void>()
  /** What may have changed since it was last looked up. */
  readonly #unchecked = new Set<number>()
  /** They were told nothing yet. Those that were there before them need not be looked at: thousands may come at once. */
  readonly #newcomers = new Set<Reader>()
  #isClosed = false
  #isChecking = false
  #hasFailed = false
  #retryTimer: NodeJS.Timeout | undefined

  constructor(parts: EventReadersParts<Reader>) {
    this.#parts = parts
  }

  /** Throws if the owner has too many readers. */
  refuseIfFull(owner: string): void {
    if ((this.#countOfOwner.get(owner) ?? 0) < this.#parts.bounds.perOwner) return
    throw new BoundError("watchers", "too_many", sentences.tooManyWatchers, retryAfterSeconds)
  }

  /**
   * Opens the reader's stream and looks up what to send first. It is looked up after the reader was added, so that no
   * change can be lost in between.
   */
  add(wanted: Omit<Reader, "stream">, open: () => EventStream): void {
    this.refuseIfFull(wanted.owner)
    this.#makeRoomFor(wanted.group)
    const stream = open()
    if (this.#isClosed) {
      stream.end()
      return
    }
    const reader = { ...wanted, stream } as Reader
    this.#keep(reader)
    this.#newcomers.add(reader)
    this.check([])
  }

  /** These may have changed: looks up what their readers must be told. What changes during that is looked up after it. */
  check(topics: Iterable<number>): void {
    for (const topic of topics) if (this.#readersOf.has(topic)) this.#unchecked.add(topic)
    if (!this.#isChecking) void this.#checkUnchecked()
  }

  checkAll(): void {
    this.check(this.#readersOf.keys())
  }

  all(): Iterable<Reader> {
    return this.#releases.keys()
  }

  /** Keeps idle connections alive through proxies. */
  async sendHeartbeats(): Promise<void> {
    await eachWithPauses(this.all(), ({ stream }) => stream.sendHeartbeat())
  }

  size(): number {
    return this.#releases.size
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#retryTimer)
    for (const { stream } of this.all()) stream.end()
  }

  /** One that is cut off may connect again. */
  #makeRoomFor(group: number): void {
    if (this.size() < this.#parts.bounds.total) return
    const most = largestGroup(this.all()) ?? group
    if (most === group) throw new BoundError("watchers", "unavailable", sentences.tooManyWatchers, retryAfterSeconds)
    for (const [reader, release] of this.#releases) {
      if (reader.group !== most) continue
      release()
      reader.stream.cutOff()
      return
    }
  }

  #keep(reader: Reader): void {
    const { topic, owner, stream } = reader
    const readers = this.#readersOf.get(topic) ?? new Set()
    this.#readersOf.set(topic, readers.add(reader))
    this.#countOfOwner.set(owner, (this.#countOfOwner.get(owner) ?? 0) + 1)
    const release = () => this.#release(reader)
    this.#releases.set(reader, release)
    stream.onClose(release)
  }

  #release(reader: Reader): void {
    if (!this.#releases.delete(reader)) return
    const { topic, owner } = reader
    this.#newcomers.delete(reader)
    const readers = this.#readersOf.get(topic)
    readers?.delete(reader)
    if (readers?.size === 0) this.#readersOf.delete(topic)
    const left = (this.#countOfOwner.get(owner) ?? 0) - 1
    if (left > 0) this.#countOfOwner.set(owner, left)
    else this.#countOfOwner.delete(owner)
  }

  async #checkUnchecked(): Promise<void> {
    this.#isChecking = true
    try {
      while (this.#unchecked.size + this.#newcomers.size > 0 && !this.#isClosed) await this.#checkNext()
      this.#hasFailed = false
    } catch (error) {
      this.#retry(error)
    } finally {
      this.#isChecking = false
    }
  }

  async #checkNext(): Promise<void> {
    const topics = takeFrom(this.#unchecked)
    const added = takeFrom(this.#newcomers)
    const readers = new Set(topics.flatMap((topic) => [...(this.#readersOf.get(topic) ?? [])]))
    for (const reader of added) readers.add(reader)
    try {
      await this.#parts.update([...readers])
    } catch (error) {
      for (const topic of topics) this.#unchecked.add(topic)
      for (const reader of added) if (this.#releases.has(reader)) this.#newcomers.add(reader)
      throw error
    }
  }

  /** During an outage readers keep what they have. They are told what is new once the database is back. */
  #retry(error: unknown): void {
    // One warning per outage, not one per second.
    if (!this.#hasFailed) this.#parts.warn(error)
    this.#hasFailed = true
    clearTimeout(this.#retryTimer)
    if (!this.#isClosed) this.#retryTimer = setTimeout(() => this.check([]), retryDelayMs).unref()
  }
}

/** The group with the most readers. */
function largestGroup(readers: Iterable<EventReader>): number | undefined {
  const counts = new Map<number, number>()
  for (const { group } of readers) counts.set(group, (counts.get(group) ?? 0) + 1)
  let largest: number | undefined
  for (const [group, count] of counts) {
    if (largest === undefined || count > (counts.get(largest) ?? 0)) largest = group
  }
  return largest
}

/** Removes the first of them. */
function takeFrom<Element>(all: Set<Element>): Element[] {
  const taken: Element[] = []
  for (const one of all) {
    if (taken.length === lookedUpAtOnce) break
    all.delete(one)
    taken.push(one)
  }
  return taken
}
