import type { Level } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { eachWithPauses, withPauses } from "../../bounds/turns.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Reader } from "../../db/schema.ts"
import { notFound } from "../../errors.ts"
import { createEventReaders, type EventReader, type ReaderBounds } from "../../http/event-readers.ts"
import { type EventStream, eventBytes } from "../../http/event-stream.ts"
import * as store from "./store.ts"
import { createNews, hasOneOf, type Known, type News, type Told } from "./told.ts"

/** An open collection on a user's screen. The topic is the collection; owner and group are the user. */
interface Screen extends EventReader, Known {
  caller: Member
  /** Whether the collection may have changed since it was last read for this screen. If not, only the user's role may have. */
  isBehind: boolean
}

export interface Live extends FeedListener {
  /** Refuses a collection that is not in reach before anything is sent. `open` starts the stream. */
  add(caller: Member, collectionId: number, open: () => EventStream): Promise<void>
  /** Ends the streams whose sessions have ended, so that none outlives its session by more than a moment. */
  endEnded(): Promise<void>
  sendHeartbeats(): Promise<void>
  size(): number
  close(): void
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
export function createLive({ db, liveSessions, liveTokens, warn, bounds = defaultBounds }: LiveParts): Live {
  const screens = createEventReaders<Screen>({ bounds, update, warn })
  /** While a collection is being read: environments that have changed since then. They may be new in it. */
  let changedDuringRead: Set<number> | undefined

  return {
    async add(caller, collectionId, open) {
      const owner = String(caller.userId)
      screens.refuseIfFull(owner)
      const roles = await store.liveRoles(db, caller, [collectionId])
      if (!roles.has(collectionId)) throw notFound("Collection")
      const nothing = { told: undefined, role: undefined, isBehind: true }
      screens.add({ topic: collectionId, owner, group: caller.userId, caller, ...nothing }, open)
    },
    changed(changes) {
      const collectionIds = new Set(
        changes.flatMap((change) => ("collectionId" in change ? [change.collectionId] : [])),
      )
      const environmentIds = changes.flatMap((change) => ("environmentId" in change ? [change.environmentId] : []))
      const userIds = new Set(changes.flatMap((change) => ("userId" in change ? [change.userId] : [])))
      for (const id of environmentIds) changedDuringRead?.add(id)
      const allTold = environmentIds.length === 0 ? [] : new Set(Array.from(screens.all(), ({ told }) => told))
      const outdated = new Set([...allTold].filter((told) => told !== undefined && hasOneOf(told, environmentIds)))
      const topics = new Set<number>()
      for (const screen of screens.all()) {
        const { topic, told, caller } = screen
        const isBehind = collectionIds.has(topic) || outdated.has(told)
        if (isBehind) screen.isBehind = true
        if (isBehind || userIds.has(caller.userId)) topics.add(topic)
      }
      screens.check(topics)
    },
    mayHaveMissedChanges() {
      for (const screen of screens.all()) screen.isBehind = true
      screens.checkAll()
    },
    async endEnded() {
      try {
        await endThoseOf([...screens.all()])
      } catch (error) {
        // Nothing is sent during an outage, and the next run comes soon.
        if (!isUnreachable(error) && !isUnwritable(error)) throw error
      }
    },
    sendHeartbeats: screens.sendHeartbeats,
    size: screens.size,
    close: screens.close,
  }

  /** Returns those that have not ended. */
  async function endThoseOf(open: readonly Screen[]): Promise<Screen[]> {
    if (open.length === 0) return []
    const sessionIds = new Set(open.flatMap(({ caller }) => caller.sessionId ?? []))
    const tokenIds = new Set(open.flatMap(({ caller }) => caller.token?.id ?? []))
    const [sessions, tokens] = [await liveSessions([...sessionIds]), await liveTokens([...tokenIds])]
    const isLive = ({ caller: { sessionId, token } }: Screen) =>
      token === undefined ? sessionId !== undefined && sessions.has(sessionId) : tokens.has(token.id)
    for (const screen of open) if (!isLive(screen)) end(screen)
    return open.filter(isLive)
  }

  async function update(open: Screen[]): Promise<void> {
    const live = await endThoseOf(open)
    const behind = new Set(live.flatMap(({ isBehind, topic }) => (isBehind ? [topic] : [])))
    // Of the others it is enough to know who may still see them, and as what: that is found out for many at once.
    const others = live.filter(({ topic }) => !behind.has(topic))
    const roles = await rolesFor(others)
    for (const screen of others) if (!roles.has(screen)) end(screen)
    const left = live.filter((screen) => behind.has(screen.topic) || roles.has(screen))
    for (const screen of left) if (roles.has(screen) && roles.get(screen) !== screen.role) behind.add(screen.topic)

    const known = new Map<number, Told>()
    for (const { topic, told } of screens.all()) if (told !== undefined) known.set(topic, told)
    for await (const [topic, followers] of withPauses(Map.groupBy(left, (screen) => screen.topic))) {
      if (behind.has(topic)) await readFor(followers, known.get(topic))
    }
  }

  /** Of those who may see their collections. */
  async function rolesFor(open: readonly Screen[]): Promise<Map<Screen, Level>> {
    const roles = new Map<Screen, Level>()
    for await (const { caller, screens } of withPauses(byCaller(open))) {
      const found = await store.liveRoles(db, caller, [...new Set(screens.map(({ topic }) => topic))])
      for (const screen of screens) {
        const role = found.get(screen.topic)
        if (role !== undefined) roles.set(screen, role)
      }
    }
    return roles
  }

  /** Reads a collection once for these screens, and tells them. `known` is what a screen of it was told last. */
  async function readFor(followers: readonly Screen[], known: Told | undefined): Promise<void> {
    const changedIds = new Set<number>()
    changedDuringRead = changedIds
    for (const screen of followers) screen.isBehind = false
    try {
      const collection = await readInReach(followers)
      // Asked for after the collection was read, so that none is told of what it may no longer see.
      const roles = collection === undefined ? new Map<Screen, Level>() : await rolesFor(followers)
      const news = collection && createNews(collection, known)
      await eachWithPauses(followers, (screen) => {
        const role = roles.get(screen)
        if (role === undefined || news === undefined) end(screen)
        else tell(screen, news, role)
      })
      if (news !== undefined && hasOneOf(news.told, [...changedIds])) readAgain(followers)
    } catch (error) {
      for (const screen of followers) screen.isBehind = true
      throw error
    } finally {
      changedDuringRead = undefined
    }
  }

  /** As the first of them who may see it. */
  async function readInReach(followers: readonly Screen[]): Promise<store.LiveCollection | undefined> {
    for await (const { caller, screens } of withPauses(byCaller(followers))) {
      const [{ topic }] = screens
      const collection = await store.liveCollection(db, caller, topic)
      if (collection !== undefined) return collection
    }
    return undefined
  }

  function readAgain(followers: readonly Screen[]): void {
    for (const screen of followers) screen.isBehind = true
    screens.check(followers.map(({ topic }) => topic))
  }
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

function tell(screen: Screen, { told, eventsFor }: News, role: Level): void {
  for (const event of eventsFor(screen, role)) screen.stream.send(event)
  screen.told = told
  screen.role = role
}

function end({ stream }: Screen): void {
  stream.send(eventBytes("gone", {}))
  stream.end()
}
