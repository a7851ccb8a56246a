import type { LiveEnvironment, LiveState } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { startPace } from "../../bounds/turns.ts"
import type { FeedListener } from "../../db/change-feed.ts"
import { isUnreachable, isUnwritable } from "../../db/faults.ts"
import type { Reader } from "../../db/schema.ts"
import { notFound } from "../../errors.ts"
import { createEventReaders, type EventReader, type ReaderBounds } from "../../http/event-readers.ts"
import { type EventStream, eventBytes } from "../../http/event-stream.ts"
import * as store from "./store.ts"

/** An open collection on a user's screen. The topic is the collection; owner and group are the user. */
interface Screen extends EventReader {
  caller: Member
  /** The last state that it was told. */
  told: store.LiveCollection | undefined
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

/** A screen takes about 30 KB. */
const defaultBounds: ReaderBounds = { total: 5_000, perOwner: 1_000 }

/** Tells open screens what has changed in their collection, by whom and when, but no value. */
export function createLive({ db, liveSessions, liveTokens, warn, bounds = defaultBounds }: LiveParts): Live {
  const screens = createEventReaders<Screen>({ bounds, update, warn })

  return {
    async add(caller, collectionId, open) {
      const owner = String(caller.userId)
      screens.refuseIfFull(owner)
      const [found] = await store.liveCollections(db, [{ caller, collectionId }])
      if (found === undefined) throw notFound("Collection")
      screens.add({ topic: collectionId, owner, group: caller.userId, caller, told: undefined }, open)
    },
    changed(changes) {
      const collectionIds = new Set(
        changes.flatMap((change) => ("collectionId" in change ? [change.collectionId] : [])),
      )
      const environmentIds = changes.flatMap((change) => ("environmentId" in change ? [change.environmentId] : []))
      const userIds = new Set(changes.flatMap((change) => ("userId" in change ? [change.userId] : [])))
      if (environmentIds.length > 0 || userIds.size > 0) {
        for (const { topic, told, caller } of screens.all()) {
          // One that was not told anything yet is about to be.
          const isAffected = userIds.has(caller.userId) || environmentIds.some((id) => told?.environments.has(id))
          if (isAffected) collectionIds.add(topic)
        }
      }
      screens.check(collectionIds)
    },
    mayHaveMissedChanges: () => screens.checkAll(),
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
    const pace = startPace()
    for (const round of inRounds(live)) {
      const followed = round.map(([screen]) => ({ caller: screen.caller, collectionId: screen.topic }))
      const states = new Map((await store.liveCollections(db, followed)).map((one) => [one.id, one]))
      for (const [first, ...others] of round) {
        for (const screen of [first, ...others]) {
          tell(screen, states.get(screen.topic))
          if (pace.isDue()) await pace.turn()
        }
      }
    }
  }
}

/** The screens of one user on one collection, without those of a token, or those of one token. */
type Followers = [Screen, ...Screen[]]

/** In each round every collection is followed by one user, so that one query shows who may still see it. */
function inRounds(screens: readonly Screen[]): Followers[][] {
  const byCollection = Map.groupBy(screens, ({ topic }) => topic)
  const rounds: Followers[][] = []
  for (const readers of byCollection.values()) {
    const byUser = Map.groupBy(readers, ({ group, caller }) => `${group} ${caller.token?.id ?? ""}`)
    for (const [at, followers] of [...byUser.values()].entries()) {
      rounds[at] = [...(rounds[at] ?? []), followers as Followers]
    }
  }
  return rounds
}

function tell(screen: Screen, now: store.LiveCollection | undefined): void {
  const { told, stream } = screen
  if (now === undefined) {
    end(screen)
    return
  }
  screen.told = now
  if (told?.list !== now.list) {
    const environments = Array.from(now.environments, ([id, { revision, isProtected }]) => ({
      id,
      revision,
      isProtected,
    }))
    const { name, description, role } = now
    const state: LiveState = { name, description, role, environments }
    stream.send(eventBytes(told === undefined ? "state" : "list", state))
  }
  if (told === undefined) return
  for (const [id, { revision, by, at }] of now.environments) {
    const before = told.environments.get(id)
    if (before === undefined || before.revision === revision) continue
    stream.send(eventBytes("environment", { id, revision, by, at } satisfies LiveEnvironment))
  }
}

function end({ stream }: Screen): void {
  stream.send(eventBytes("gone", {}))
  stream.end()
}
