import { randomUUID } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
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
export class PostgresFeed implements ChangeFeed {
  readonly #parts: PostgresFeedParts
  readonly #listener: FeedListener
  readonly #closing = new AbortController()
  readonly #running: Promise<void>
  #client: Client | undefined
  #isListening = false
  /** Of the current connection. */
  #hasAnswered = false
  #wasReady = false
  #hasWarned = false
  #lastInSyncAt = steadyNow()
  #connects = 0
  #notUnderstood = 0

  constructor(parts: PostgresFeedParts, listener: FeedListener) {
    this.#parts = parts
    this.#listener = listener
    this.#running = this.#keepListening()
  }

  isInSync(): boolean {
    return this.#isListening && steadyNow() - this.#lastInSyncAt < maxSilenceMs
  }

  lastInSyncAt(): number {
    return this.#lastInSyncAt
  }

  notUnderstood(): number {
    return this.#notUnderstood
  }

  reconnects(): number {
    return Math.max(0, this.#connects - 1)
  }

  isDatabaseDown(): boolean {
    return this.#parts.gate.isClosed()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#client?.end().catch(() => undefined)
    await this.#running
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  async #keepListening(): Promise<void> {
    while (!this.#isClosed) {
      this.#hasAnswered = false
      this.#wasReady = false
      let delayMs = retryDelayMs
      try {
        await this.#listenOnce()
      } catch (error) {
        this.#isListening = false
        // Ended by `close`: that says nothing about the database, which requests in flight still need.
        if (this.#isClosed) return
        // A connection that worked is replaced without a pause: only the attempt shows whether the database is down.
        if (this.#wasReady) continue
        if (error instanceof NotificationsUnavailableError) {
          this.#openGate()
          delayMs = retryNotificationsDelayMs
          if (!this.#hasWarned) this.#listener.notificationsUnavailable?.(error)
          this.#hasWarned = true
        } else if (!this.#hasAnswered && meansDatabaseDown(error)) this.#closeGate()
      }
      // Ends early when the feed is closed.
      await wait(delayMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => undefined)
    }
  }

  #openGate(): void {
    if (this.isDatabaseDown()) this.#listener.databaseIs?.("back")
    this.#parts.gate.open()
  }

  #closeGate(): void {
    if (!this.isDatabaseDown()) this.#listener.databaseIs?.("down")
    this.#parts.gate.close()
  }

  async #listenOnce(): Promise<void> {
    const client = this.#parts.newClient()
    this.#client = client
    const lost = new AbortController()
    client.on("error", (error) => lost.abort(error))
    client.on("end", () => lost.abort(new Error("the connection ended")))
    const unlessLost: UnlessLost = (promise) => unlessAborted(lost.signal, promise)
    try {
      await this.#connect(client, unlessLost)
      await this.#keepPinging(client, unlessLost)
    } finally {
      void client.end().catch(() => undefined)
    }
  }

  async #connect(client: Client, unlessLost: UnlessLost): Promise<void> {
    await unlessLost(client.connect())
    client.on("notification", ({ channel, payload }) => {
      if (channel === invalidationChannel) this.#heard(payload)
    })
    await withDeadline(unlessLost(listen(client)), connectTimeoutMs, throwNoAnswer)
    // It answers, so it is not down, whatever becomes of the probe.
    this.#hasAnswered = true
    this.#openGate()
    await unlessLost(probeNotifications(client, this.#parts.notify))
    await unlessLost(client.query(markRunning))
    this.#connects++
    this.#wasReady = true
    this.#listener.mayHaveMissedChanges(this.#lastInSyncAt)
  }

  async #keepPinging(client: Client, unlessLost: UnlessLost): Promise<void> {
    while (!this.#isClosed) {
      const pingedAt = steadyNow()
      await withDeadline(unlessLost(client.query("select 1")), maxSilenceMs, throwNoAnswer)
      // The time of the ping, not of its answer: only what was sent before the ping is sure to have arrived.
      this.#lastInSyncAt = pingedAt
      this.#isListening = true
      await unlessLost(wait(pingIntervalMs, undefined, { ref: false }))
    }
  }

  #heard(payload: string | undefined): void {
    const invalidations = parseInvalidations(payload)
    if (invalidations === undefined) {
      this.#notUnderstood++
      this.#listener.mayHaveMissedChanges(this.#lastInSyncAt)
    } else this.#listener.changed(invalidations)
  }
}

/** Rejects as soon as the connection is lost. */
type UnlessLost = <Result>(promise: Promise<Result>) => Promise<Result>

/**
 * A pooler may run `listen` on a connection that it then gives to another client, and some engines ignore `listen`:
 * everything would look fine and no notification would ever arrive. So one is sent and has to arrive.
 */
async function probeNotifications(client: Client, notify: PostgresFeedParts["notify"]): Promise<void> {
  const payload = randomUUID()
  const arrived = new Promise<void>((resolve) => {
    client.on("notification", (message) => {
      if (message.channel === probeChannel && message.payload === payload) resolve()
    })
  })
  await notify(probeChannel, payload)
  await withDeadline(arrived, probeTimeoutMs, () => {
    throw new NotificationsUnavailableError("a notification did not arrive: is there a pooler in between?")
  })
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
