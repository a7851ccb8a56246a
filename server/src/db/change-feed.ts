import { randomUUID } from "node:crypto"
import type { Client } from "pg"
import { steadyNow } from "./clock.ts"
import { type Gate, saysItIsAway } from "./gate.ts"
import { type Invalidation, invalidationChannel } from "./invalidation.ts"
import { markRunning } from "./postgres-locks.ts"

/** How a node hears of what others have changed. What it changes itself, it knows at once. */
export interface ChangeFeed {
  /** False while a change made elsewhere could go unheard: then memory must not be trusted. */
  isHearing(): boolean
  /** How often a connection for hearing was lost and made anew. */
  reconnects(): number
  /** True while the database is known not to answer. */
  isAway(): boolean
  /** The last moment, by `steadyNow`, up to which everything has been heard. */
  rightUntil(): number
  close(): Promise<void>
}

export interface FeedListener {
  changed(changes: Invalidation[]): void
  /** Something may have gone unheard since `rightUntil`, nobody knows what. */
  missed(rightUntil: number): void
  /** Told once: what is in the way of ever hearing anything. */
  cannotHear?(reason: Error): void
}

/** Other processes on the same SQLite file are noticed by its version, which is so cheap that every read can ask. */
export function sqliteFeed(dataVersion: () => number, listener: FeedListener): ChangeFeed {
  let seen: number | undefined = dataVersion()
  let rightUntil = steadyNow()
  const look = () => {
    const now = versionOf(dataVersion)
    const changed = now !== seen
    seen = now
    if (now === undefined) return
    if (changed) listener.missed(rightUntil)
    rightUntil = steadyNow()
  }
  // What comes in at once is answered at once: one look serves all that this turn of the event loop has to answer.
  let looked = false
  const nextTurn = () => {
    looked = false
  }
  // Reads look by themselves; who waits for a change without reading is told by the clock.
  const clock = setInterval(look, 200).unref()
  return {
    isHearing() {
      if (!looked) {
        looked = true
        setImmediate(nextTurn)
        look()
      }
      return seen !== undefined
    },
    reconnects: () => 0,
    isAway: () => seen === undefined,
    rightUntil: () => rightUntil,
    close: async () => clearInterval(clock),
  }
}

/** None while the file cannot be read. */
function versionOf(dataVersion: () => number): number | undefined {
  try {
    return dataVersion()
  } catch {
    return undefined
  }
}

const pingEveryMs = 200
const deafAfterMs = 700
const retryAfterMs = 200
/** A database that takes connections but does not answer is as good as gone. */
export const connectPatienceMs = 5_000
const retryUnfitAfterMs = 5_000
const proofChannel = "envkeep_proof"
const proofPatienceMs = 5_000

/** What PostgreSQL is heard by: a connection of its own, and any other one to speak to it. */
export interface Ears {
  newClient(): Client
  notify(channel: string, payload: string): Promise<unknown>
  gate: Gate
}

/** The database answers, but what stands between or the engine itself does not pass notifications on. */
class UnfitError extends Error {
  override name = "UnfitError"
}

/**
 * PostgreSQL tells by NOTIFY, on a connection kept for it. A connection can die without a word, so it is asked for a sign
 * of life several times a second; without one, the node counts as deaf until it has a new connection. Where there is none
 * to be had, the gate is closed, so that nobody else waits for one.
 */
export function postgresFeed({ newClient, notify, gate }: Ears, listener: FeedListener): ChangeFeed {
  let closed = false
  let hearing = false
  let reached = false
  let rightUntil = steadyNow()
  let connects = 0
  let client: Client | undefined
  let complained = false
  let wake: () => void = () => undefined
  const running = keepListening()
  return {
    isHearing: () => hearing && steadyNow() - rightUntil < deafAfterMs,
    isAway: gate.isClosed,
    rightUntil: () => rightUntil,
    reconnects: () => Math.max(0, connects - 1),
    async close() {
      closed = true
      wake()
      await client?.end().catch(() => undefined)
      await running
    },
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      reached = false
      let waitMs = retryAfterMs
      try {
        await listenOnce()
      } catch (error) {
        // Whatever it was, the answer is a new connection; the node is deaf meanwhile and says so.
        hearing = false
        // Its own end says nothing about the database, which requests in flight still need.
        if (closed) return
        // What worked a moment ago is tried again at once: only that tells a cut connection from a database that is gone.
        if (reached) continue
        if (error instanceof UnfitError) {
          gate.open()
          waitMs = retryUnfitAfterMs
          if (!complained) listener.cannotHear?.(error)
          complained = true
        } else if (saysItIsAway(error)) gate.close()
      }
      if (!closed) await pause(waitMs)
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve
      setTimeout(resolve, ms).unref()
    })
  }

  async function listenOnce(): Promise<void> {
    const current = newClient()
    client = current
    const lost = new Promise<never>((_, reject) => {
      current.on("error", reject)
      current.on("end", () => reject(new Error("the connection ended")))
    })
    lost.catch(() => undefined)
    try {
      await Promise.race([current.connect(), lost])
      current.on("notification", ({ channel, payload }) => {
        if (channel === invalidationChannel) listener.changed(JSON.parse(payload ?? "[]"))
      })
      await Promise.race([listen(current), lost, tooLate(connectPatienceMs)])
      // It answers, so it is not away; what is not yet known is whether it can be heard.
      gate.open()
      await Promise.race([prove(current), lost])
      await Promise.race([current.query(markRunning), lost])
      connects++
      reached = true
      listener.missed(rightUntil)
      while (!closed) {
        const askedAt = steadyNow()
        await Promise.race([current.query("select 1"), lost, tooLate(deafAfterMs)])
        // From the asking on, not from the answer: what was sent before it has been heard, what came after may not.
        rightUntil = askedAt
        hearing = true
        await Promise.race([new Promise((resolve) => setTimeout(resolve, pingEveryMs).unref()), lost])
      }
    } finally {
      void current.end().catch(() => undefined)
    }
  }

  /**
   * A pooler may lend `listen` a connection and take it away again, and some engines ignore it: all would look well, and
   * nothing would ever be heard. So another connection says a word that nobody can guess, and it must arrive by itself.
   */
  async function prove(current: Client): Promise<void> {
    const word = randomUUID()
    const heard = new Promise<void>((resolve) => {
      current.on("notification", ({ channel, payload }) => {
        if (channel === proofChannel && payload === word) resolve()
      })
    })
    await notify(proofChannel, word)
    await Promise.race([
      heard,
      tooLate(proofPatienceMs, new UnfitError("a notification did not arrive: is there a pooler in between?")),
    ])
  }
}

/** When this process itself was too busy to look, an answer that is already there still counts. */
function tooLate(ms: number, error = new Error("no sign of life")): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => setImmediate(() => setImmediate(reject, error)), ms).unref()
  })
}

async function listen(client: Client): Promise<void> {
  try {
    await client.query(`listen ${invalidationChannel}`)
    await client.query(`listen ${proofChannel}`)
  } catch (error) {
    // The database's own refusals carry a severity; a lost connection does not, and is worth another try at once.
    if ((error as { severity?: string }).severity !== "ERROR") throw error
    throw new UnfitError(`the database refuses LISTEN: ${(error as Error).message}`)
  }
}
