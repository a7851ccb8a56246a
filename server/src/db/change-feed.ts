import type { Client } from "pg"
import { type Change, changeChannel } from "./transaction.ts"

/** How a node hears of what others have changed. What it changes itself, it knows at once. */
export interface ChangeFeed {
  /** False while a change made elsewhere could go unheard: then memory must not be trusted. */
  isHearing(): boolean
  /** How often a connection for hearing was lost and made anew. */
  reconnects(): number
  close(): Promise<void>
}

export interface FeedListener {
  changed(changes: Change[]): void
  /** Something may have gone unheard, nobody knows what. */
  missed(): void
}

/** Other processes on the same SQLite file are noticed by its version, which is so cheap that every read can ask. */
export function sqliteFeed(dataVersion: () => number, listener: FeedListener): ChangeFeed {
  let seen = dataVersion()
  const look = () => {
    const now = dataVersion()
    if (now === seen) return
    seen = now
    listener.missed()
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
      if (looked) return true
      looked = true
      setImmediate(nextTurn)
      look()
      return true
    },
    reconnects: () => 0,
    close: async () => clearInterval(clock),
  }
}

const pingEveryMs = 200
const deafAfterMs = 700
const retryAfterMs = 200

/**
 * PostgreSQL tells by NOTIFY, on a connection kept for it. A connection can die without a word, so it is asked for a sign
 * of life several times a second; without one, the node counts as deaf until it has a new connection.
 */
export function postgresFeed(newClient: () => Client, listener: FeedListener): ChangeFeed {
  let closed = false
  let heardAt = 0
  let connects = 0
  let client: Client | undefined
  const running = keepListening()
  return {
    isHearing: () => Date.now() - heardAt < deafAfterMs,
    reconnects: () => Math.max(0, connects - 1),
    async close() {
      closed = true
      await client?.end().catch(() => undefined)
      await running
    },
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      try {
        await listenOnce()
      } catch {
        // Whatever it was, the answer is a new connection; the node is deaf meanwhile and says so.
      }
      heardAt = 0
      if (!closed) await new Promise((resolve) => setTimeout(resolve, retryAfterMs).unref())
    }
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
      current.on("notification", ({ payload }) => {
        listener.changed(JSON.parse(payload ?? "[]"))
      })
      await Promise.race([current.query(`listen ${changeChannel}`), lost])
      connects++
      listener.missed()
      while (!closed) {
        const askedAt = Date.now()
        await Promise.race([current.query("select 1"), lost, tooLate()])
        // From the asking on, not from the answer: what was sent before it has been heard, what came after may not.
        heardAt = askedAt
        await Promise.race([new Promise((resolve) => setTimeout(resolve, pingEveryMs).unref()), lost])
      }
    } finally {
      void current.end().catch(() => undefined)
    }
  }

  function tooLate(): Promise<never> {
    return new Promise((_, reject) => {
      setTimeout(() => reject(new Error("no sign of life")), deafAfterMs).unref()
    })
  }
}
