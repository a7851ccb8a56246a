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

export interface EventReaders<Reader extends EventReader> {
  /** Throws if the owner has too many readers. */
  refuseIfFull(owner: string): void
  /**
   * Opens the reader's stream and looks up what to send first. It is looked up after the reader was added, so that no
   * change can be lost in between.
   */
  add(reader: Omit<Reader, "stream">, open: () => EventStream): void
  /** These may have changed: looks up what their readers must be told. */
  check(topics: Iterable<number>): void
  checkAll(): void
  all(): Iterable<Reader>
  /** Keeps idle connections alive through proxies. */
  sendHeartbeats(): Promise<void>
  size(): number
  close(): void
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
export function createEventReaders<Reader extends EventReader>({
  bounds,
  update,
  warn,
}: EventReadersParts<Reader>): EventReaders<Reader> {
  const readersOf = new Map<number, Set<Reader>>()
  const countOfOwner = new Map<string, number>()
  const releases = new Map<Reader, () => void>()
  let closed = false
  /** What may have changed since it was last looked up. */
  const unchecked = new Set<number>()
  /** They were told nothing yet. Those that were there before them need not be looked at: thousands may come at once. */
  const newcomers = new Set<Reader>()
  let isChecking = false
  let hasFailed = false
  let retryTimer: NodeJS.Timeout | undefined

  return {
    refuseIfFull,
    add(wanted, open) {
      refuseIfFull(wanted.owner)
      makeRoomFor(wanted.group)
      const stream = open()
      if (closed) return stream.end()
      const reader = { ...wanted, stream } as Reader
      addReader(reader)
      newcomers.add(reader)
      check([])
    },
    check,
    checkAll: () => check(readersOf.keys()),
    all: () => releases.keys(),
    async sendHeartbeats() {
      await eachWithPauses(releases.keys(), ({ stream }) => stream.sendHeartbeat())
    },
    size: () => releases.size,
    close() {
      closed = true
      clearTimeout(retryTimer)
      for (const { stream } of releases.keys()) stream.end()
    },
  }

  function refuseIfFull(owner: string): void {
    if ((countOfOwner.get(owner) ?? 0) < bounds.perOwner) return
    throw new BoundError("watchers", "too_many", sentences.tooManyWatchers, retryAfterSeconds)
  }

  /** One that is cut off may connect again. */
  function makeRoomFor(group: number): void {
    if (releases.size < bounds.total) return
    const counts = new Map<number, number>()
    for (const reader of releases.keys()) counts.set(reader.group, (counts.get(reader.group) ?? 0) + 1)
    const [most = group] = [...counts].reduce((one, other) => (other[1] > one[1] ? other : one))
    if (most === group) throw new BoundError("watchers", "unavailable", sentences.tooManyWatchers, retryAfterSeconds)
    for (const [reader, release] of releases) {
      if (reader.group !== most) continue
      release()
      reader.stream.cutOff()
      return
    }
  }

  function addReader(reader: Reader): void {
    const { topic, owner, stream } = reader
    const readers = readersOf.get(topic) ?? new Set()
    readersOf.set(topic, readers.add(reader))
    countOfOwner.set(owner, (countOfOwner.get(owner) ?? 0) + 1)
    releases.set(reader, release)
    stream.onClose(release)

    function release(): void {
      if (!releases.delete(reader)) return
      newcomers.delete(reader)
      readers.delete(reader)
      if (readers.size === 0) readersOf.delete(topic)
      const left = (countOfOwner.get(owner) ?? 0) - 1
      if (left > 0) countOfOwner.set(owner, left)
      else countOfOwner.delete(owner)
    }
  }

  /** What changes during a lookup is looked up again after it. */
  function check(topics: Iterable<number>): void {
    for (const topic of topics) if (readersOf.has(topic)) unchecked.add(topic)
    if (!isChecking) void checkUnchecked()
  }

  async function checkUnchecked(): Promise<void> {
    isChecking = true
    try {
      while (unchecked.size + newcomers.size > 0 && !closed) await checkNext()
      hasFailed = false
    } catch (error) {
      retry(error)
    } finally {
      isChecking = false
    }
  }

  async function checkNext(): Promise<void> {
    const topics = takeFrom(unchecked)
    const added = takeFrom(newcomers)
    const readers = new Set(topics.flatMap((topic) => [...(readersOf.get(topic) ?? [])]))
    for (const reader of added) readers.add(reader)
    try {
      await update([...readers])
    } catch (error) {
      for (const topic of topics) unchecked.add(topic)
      for (const reader of added) if (releases.has(reader)) newcomers.add(reader)
      throw error
    }
  }

  /** During an outage readers keep what they have. They are told what is new once the database is back. */
  function retry(error: unknown): void {
    // One warning per outage, not one per second.
    if (!hasFailed) warn(error)
    hasFailed = true
    clearTimeout(retryTimer)
    if (!closed) retryTimer = setTimeout(() => check([]), retryDelayMs).unref()
  }
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
