import { randomUUID } from "node:crypto"
import type { Client } from "pg"
import type { ChangeFeed, FeedListener } from "./change-feed.ts"
import { steadyNow } from "./clock.ts"
import { unlessAborted, withDeadline } from "./deadline.ts"
import { type Gate, meansDatabaseDown } from "./gate.ts"
import { invalidationChannel, parseInvalidations } from "./invalidation.ts"
import { markRunning } from "./postgres-locks.ts"

const pingIntervalMs = 200
/** Without an answer to a ping for this long, a change could have been missed. */
const maxSilenceMs = 700
const retryDelayMs = 200
const retryNotificationsDelayMs = 5_000
/** A database that accepts a connection but does not answer on it counts as down. */
export const connectTimeoutMs = 5_000
export const probeTimeoutMs = 5_000
const probeChannel = "envkeep_proof"

interface PostgresFeedParts {
  /** The connection that listens. */
  newClient(): Client
  /** Sends a notification on a connection of its own: one of the pool may have to be waited for. */
  notify(channel: string, payload: string): Promise<unknown>
  gate: Gate
}

/** The database answers, but it or a pooler in front of it does not deliver notifications. */
class NotificationsUnavailableError extends Error {
  override name = "NotificationsUnavailableError"
}

/**
 * Listens for NOTIFY on a connection of its own. A connection can die silently, so it is pinged several times a second;
 * without an answer, the node is out of sync until it has a new connection. While none can be made, the gate is closed,
 * so that no request waits for one.
 */
export function postgresFeed({ newClient, notify, gate }: PostgresFeedParts, listener: FeedListener): ChangeFeed {
  let closed = false
  let isListening = false
  let hasAnswered = false
  let wasReady = false
  let lastInSyncAt = steadyNow()
  let connects = 0
  let notUnderstood = 0
  let client: Client | undefined
  let hasWarned = false
  let endPause: () => void = () => undefined
  const running = keepListening()
  return {
    isInSync: () => isListening && steadyNow() - lastInSyncAt < maxSilenceMs,
    lastInSyncAt: () => lastInSyncAt,
    notUnderstood: () => notUnderstood,
    reconnects: () => Math.max(0, connects - 1),
    isDatabaseDown: gate.isClosed,
    async close() {
      closed = true
      endPause()
      await client?.end().catch(() => undefined)
      await running
    },
  }

  async function keepListening(): Promise<void> {
    while (!closed) {
      hasAnswered = false
      wasReady = false
      let delayMs = retryDelayMs
      try {
        await listenOnce()
      } catch (error) {
        isListening = false
        // Ended by `close`: that says nothing about the database, which requests in flight still need.
        if (closed) return
        // A connection that worked is replaced without a pause: only the attempt shows whether the database is down.
        if (wasReady) continue
        if (error instanceof NotificationsUnavailableError) {
          openGate()
          delayMs = retryNotificationsDelayMs
          if (!hasWarned) listener.notificationsUnavailable?.(error)
          hasWarned = true
        } else if (!hasAnswered && meansDatabaseDown(error)) closeGate()
      }
      if (!closed) await pause(delayMs)
    }
  }

  function openGate(): void {
    if (gate.isClosed()) listener.databaseIs?.("back")
    gate.open()
  }

  function closeGate(): void {
    if (!gate.isClosed()) listener.databaseIs?.("down")
    gate.close()
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      endPause = resolve
      setTimeout(resolve, ms).unref()
    })
  }

  async function listenOnce(): Promise<void> {
    const current = newClient()
    client = current
    const lost = new AbortController()
    current.on("error", (error) => lost.abort(error))
    current.on("end", () => lost.abort(new Error("the connection ended")))
    const unlessLost = <Result>(promise: Promise<Result>) => unlessAborted(lost.signal, promise)
    try {
      await unlessLost(current.connect())
      current.on("notification", ({ channel, payload }) => {
        if (channel === invalidationChannel) heard(payload)
      })
      await withDeadline(unlessLost(listen(current)), connectTimeoutMs, throwNoAnswer)
      // It answers, so it is not down, whatever becomes of the probe.
      hasAnswered = true
      openGate()
      await unlessLost(probeNotifications(current))
      await unlessLost(current.query(markRunning))
      connects++
      wasReady = true
      listener.mayHaveMissedChanges(lastInSyncAt)
      while (!closed) {
        const pingedAt = steadyNow()
        await withDeadline(unlessLost(current.query("select 1")), maxSilenceMs, throwNoAnswer)
        // The time of the ping, not of its answer: only what was sent before the ping is sure to have arrived.
        lastInSyncAt = pingedAt
        isListening = true
        await unlessLost(new Promise((resolve) => setTimeout(resolve, pingIntervalMs).unref()))
      }
    } finally {
      void current.end().catch(() => undefined)
    }
  }

  function heard(payload: string | undefined): void {
    const invalidations = parseInvalidations(payload)
    if (invalidations === undefined) {
      notUnderstood++
      listener.mayHaveMissedChanges(lastInSyncAt)
    } else listener.changed(invalidations)
  }

  /**
   * A pooler may run `listen` on a connection that it then gives to another client, and some engines ignore `listen`:
   * everything would look fine and no notification would ever arrive. So one is sent and has to arrive.
   */
  async function probeNotifications(current: Client): Promise<void> {
    const payload = randomUUID()
    const arrived = new Promise<void>((resolve) => {
      current.on("notification", (message) => {
        if (message.channel === probeChannel && message.payload === payload) resolve()
      })
    })
    await notify(probeChannel, payload)
    await withDeadline(arrived, probeTimeoutMs, () => {
      throw new NotificationsUnavailableError("a notification did not arrive: is there a pooler in between?")
    })
  }
}

async function listen(client: Client): Promise<void> {
  try {
    await client.query(`listen ${invalidationChannel}`)
    await client.query(`listen ${probeChannel}`)
  } catch (error) {
    // PostgreSQL's own refusals have a severity. A lost connection has none, and is worth a quick retry.
    if ((error as { severity?: string }).severity !== "ERROR") throw error
    throw new NotificationsUnavailableError(`the database refuses LISTEN: ${(error as Error).message}`)
  }
}

function throwNoAnswer(): never {
  throw new Error("the database did not answer in time")
}
