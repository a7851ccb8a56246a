import type { Level } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Invalidation } from "../../db/invalidation.ts"
import type { Reader } from "../../db/schema.ts"
import { notFound } from "../../errors.ts"
import { EventReaders, type ReaderBounds } from "../../http/event-readers.ts"
import { type EventStream, eventBytes } from "../../http/event-stream.ts"
import { type InstancesReader, noInstances, tellInstances } from "./live-instances.ts"
import * as store from "./store.ts"
import { createNews, hasOneOf, type Known, type News, type Told } from "./told.ts"

/** An open collection on a user's screen. The topic is the collection; owner and group are the user. */
interface Screen extends InstancesReader, Known {
  /** Whether the collection may have changed since it was last read for this screen. If not, only the user's role may have. */
  isBehind: boolean
}

interface LiveParts {
  db: Reader
  /** Of these sessions, those that have not ended. */
  liveSessions(ids: readonly number[]): Promise<ReadonlySet<number>>
  /** Of these personal tokens, those that are still valid. */
  liveTokens(ids: readonly number[]): Promise<ReadonlySet<number>>
  warn(error: unknown): void
  bounds?: ReaderBounds
}

/**
 * Beside its connection a screen takes about 2 kB, and what it was told 16 bytes for each environment. Those of one
 * collection share that: at worst, 5,000 screens on as many collections of 1,000 environments take 90 MB.
 */
const defaultBounds: ReaderBounds = { total: 5_000, perOwner: 1_000 }

/** Tells open screens what has changed in their collection, by whom and when, but no value. */
export class Live implements FeedListener {
  readonly #parts: LiveParts
  readonly #screens: EventReaders<Screen>
  /** While a collection is being read: environments that have changed since then. They may be new in it. */
  #changedDuringRead: Set<number> | undefined

  constructor(parts: LiveParts) {
    const { bounds = defaultBounds, warn } = parts
    this.#parts = parts
    this.#screens = new EventReaders<Screen>({ bounds, warn, update: (open) => this.#update(open) })
  }

  /** Refuses a collection that is not in reach before anything is sent. `open` starts the stream. */
  async add(caller: Member, collectionId: number, open: () => EventStream): Promise<void> {
    const owner = String(caller.userId)
    this.#screens.refuseIfFull(owner)
    const roles = await store.liveRoles(this.#parts.db, caller, [collectionId])
    if (!roles.has(collectionId)) throw notFound("Collection")
    const nothing = { told: undefined, role: undefined, isBehind: true, toldInstances: noInstances }
    this.#screens.add({ topic: collectionId, owner, group: caller.userId, caller, ...nothing }, open)
  }

  changed(changes: Invalidation[]): void {
    const collectionIds = new Set(changes.flatMap((change) => ("collectionId" in change ? [change.collectionId] : [])))
    const environmentIds = changes.flatMap((change) => ("environmentId" in change ? [change.environmentId] : []))
    const userIds = new Set(changes.flatMap((change) => ("userId" in change ? [change.userId] : [])))
    for (const id of environmentIds) this.#changedDuringRead?.add(id)

    const outdated = toldOfOneOf(this.#screens.all(), environmentIds)
    const topics = new Set<number>()
    for (const screen of this.#screens.all()) {
      const { topic, told, caller } = screen
      const isBehind = collectionIds.has(topic) || outdated.has(told)
      if (isBehind) screen.isBehind = true
      if (isBehind || userIds.has(caller.userId)) topics.add(topic)
    }
    this.#screens.check(topics)
  }

  mayHaveMissedChanges(): void {
    for (const screen of this.#screens.all()) screen.isBehind = true
    this.#screens.checkAll()
  }

  /** Ends the streams whose sessions have ended, so that none outlives its session by more than a moment. */
  endEnded(): Promise<void> {
    return unlessOutage(() => this.#endThoseOf([...this.#screens.all()]))
  }

  /** Tells screens that may know it what runs now, if that has changed. */
  tellInstances(): Promise<void> {
    return unlessOutage(() =>
      tellInstances(this.#parts.db, [...this.#screens.all()], (screens) => this.#rolesFor([...screens])),
    )
  }

  sendHeartbeats(): Promise<void> {
    return this.#screens.sendHeartbeats()
  }

  size(): number {
    return this.#screens.size()
  }

  close(): void {
    this.#screens.close()
  }

  /** Returns those that have not ended. */
  async #endThoseOf(open: readonly Screen[]): Promise<Screen[]> {
    if (open.length === 0) return []
    const sessionIds = new Set(open.flatMap(({ caller }) => caller.sessionId ?? []))
    const tokenIds = new Set(open.flatMap(({ caller }) => caller.token?.id ?? []))
    const sessions = await this.#parts.liveSessions([...sessionIds])
    const tokens = await this.#parts.liveTokens([...tokenIds])
    const isLive = ({ caller: { sessionId, token } }: Screen) =>
      token === undefined ? sessionId !== undefined && sessions.has(sessionId) : tokens.has(token.id)
    for (const screen of open) if (!isLive(screen)) end(screen)
    return open.filter(isLive)
  }

  async #update(open: Screen[]): Promise<void> {
    const live = await this.#endThoseOf(open)
    const behind = new Set(live.flatMap(({ isBehind, topic }) => (isBehind ? [topic] : [])))
    // Of the others it is enough to know who may still see them, and as what: that is found out for many at once.
    const others = live.filter(({ topic }) => !behind.has(topic))
    const roles = await this.#rolesFor(others)
    for (const screen of others) if (!roles.has(screen)) end(screen)
    const left = live.filter((screen) => behind.has(screen.topic) || roles.has(screen))
    for (const screen of left) if (roles.has(screen) && roles.get(screen) !== screen.role) behind.add(screen.topic)

    const known = new Map<number, Told>()
    for (const { topic, told } of this.#screens.all()) if (told !== undefined) known.set(topic, told)
    for await (const [topic, followers] of withPauses(Map.groupBy(left, (screen) => screen.topic))) {
      if (behind.has(topic)) await this.#readFor(followers, known.get(topic))
    }
  }

  /** Of those who may see their collections. */
  async #rolesFor(open: readonly Screen[]): Promise<Map<Screen, Level>> {
    const roles = new Map<Screen, Level>()
    for await (const { caller, screens } of withPauses(byCaller(open))) {
      const found = await store.liveRoles(this.#parts.db, caller, [...new Set(screens.map(({ topic }) => topic))])
      for (const screen of screens) {
        const role = found.get(screen.topic)
        if (role !== undefined) roles.set(screen, role)
      }
    }
    return roles
  }

  /** Reads a collection once for these screens, and tells them. `known` is what a screen of it was told last. */
  async #readFor(followers: readonly Screen[], known: Told | undefined): Promise<void> {
    const changedIds = new Set<number>()
    this.#changedDuringRead = changedIds
    for (const screen of followers) screen.isBehind = false
    try {
      const collection = await this.#readInReach(followers)
      // Asked for after the collection was read, so that none is told of what it may no longer see.
      const roles = collection === undefined ? new Map<Screen, Level>() : await this.#rolesFor(followers)
      const news = collection && createNews(collection, known)
      await eachWithPauses(followers, (screen) => {
        const role = roles.get(screen)
        if (role === undefined || news === undefined) end(screen)
        else tell(screen, news, role)
      })
      if (news !== undefined && hasOneOf(news.told, [...changedIds])) this.#readAgain(followers)
    } catch (error) {
      for (const screen of followers) screen.isBehind = true
      throw error
    } finally {
      this.#changedDuringRead = undefined
    }
  }

  /** As the first of them who may see it. */
  async #readInReach(followers: readonly Screen[]): Promise<store.LiveCollection | undefined> {
    for await (const { caller, screens } of withPauses(byCaller(followers))) {
      const [{ topic }] = screens
      const collection = await store.liveCollection(this.#parts.db, caller, topic)
      if (collection !== undefined) return collection
    }
    return undefined
  }

  #readAgain(followers: readonly Screen[]): void {
    for (const screen of followers) screen.isBehind = true
    this.#screens.check(followers.map(({ topic }) => topic))
  }
}

/** What screens were told that has one of these environments in it. Screens that know the same share it. */
function toldOfOneOf(screens: Iterable<Screen>, environmentIds: readonly number[]): ReadonlySet<Told | undefined> {
  if (environmentIds.length === 0) return new Set()
  const all = new Set(Array.from(screens, ({ told }) => told))
  return new Set([...all].filter((told) => told !== undefined && hasOneOf(told, environmentIds)))
}

/** The screens of one user, without those of a token, or those of one token. */
interface OfCaller {
  caller: Member
  screens: [Screen, ...Screen[]]
}

function byCaller(screens: readonly Screen[]): Iterable<OfCaller> {
  const found = new Map<string, OfCaller>()
  for (const screen of screens) {
    const { group, caller } = screen
    const key = `${group} ${caller.token?.id ?? ""}`
    const ofCaller = found.get(key)
    if (ofCaller === undefined) found.set(key, { caller, screens: [screen] })
    else ofCaller.screens.push(screen)
  }
  return found.values()
}

/** Nothing is sent during an outage, and the next run comes soon. */
async function unlessOutage(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isUnreachable(error) && !isUnwritable(error)) throw error
  }
}

function tell(screen: Screen, { told, eventsFor }: News, role: Level): void {
  for (const event of eventsFor(screen, role)) screen.stream.send(event)
  screen.told = told
  screen.role = role
}

function end({ stream }: Screen): void {
  stream.send(eventBytes("gone", {}))
  stream.end()
}
