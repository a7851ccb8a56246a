import { randomUUID } from "node:crypto"
import type { ConnectionOptions } from "node:tls"
import type { Bookkeeping } from "../db/bookkeeping.ts"
import { dayMs, minuteMs } from "../durations.ts"
import { letterOf, type MailParams } from "./contents.ts"
import { toHtml, toText } from "./letter.ts"
import type { MailQueue, OpenedMail } from "./mail-queue.ts"
import { pauseAfter, serverPauseAfter } from "./schedule.ts"
import { invalidRecipient, type MailFault, type OutgoingMail, sendMail, serverFaults } from "./send.ts"
import * as store from "./store.ts"

/** Tries since the process started, by what came of them. */
export interface MailCounts {
  sent: number
  retried: number
  given_up: number
}

export interface SenderParts {
  core: Bookkeeping
  mail: MailQueue
  /** Turns the mail that says that a password was forgotten into one with a link. */
  answerForgotten(mailId: number, params: MailParams["forgotten"]): Promise<void>
  warn(error: unknown, what: string): void
  /** Called when the mail server begins to fail, and when it works again. */
  serverIs?(state: "failing" | "back", fault?: MailFault): void
  now?: () => number
  timeoutMs?: number
  answerTimeoutMs?: number
  tls?: ConnectionOptions
}

/** Minutes longer than a try takes: the clocks of two nodes can differ, and no other may begin before this one has ended. */
const claimMs = 15 * minuteMs
const ownFaultPauseMs = minuteMs

/** Sends what waits in the queue, one mail after the other. */
export class MailSender {
  readonly counts: MailCounts = { sent: 0, retried: 0, given_up: 0 }
  readonly #parts: SenderParts
  readonly #now: () => number
  readonly #stopping = new AbortController()
  #sending: Promise<void> | undefined
  /** Of the mail server, in a row. */
  #serverFailures = 0
  #pausedUntil = 0

  constructor(parts: SenderParts) {
    this.#parts = parts
    this.#now = parts.now ?? Date.now
  }

  /** Starts to send what is due, and does not wait for it. */
  poll(): void {
    this.sendDue().catch((error: unknown) => this.#parts.warn(error, "could not send mails; retrying"))
  }

  /** Sends all that is due, and waits until that is done or the mail server fails. */
  sendDue(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  /** Ends what is going on. It is sent again, by this node or another. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#sending?.catch(() => undefined)
  }

  async #sendAll(): Promise<void> {
    const { core } = this.#parts
    // A look at the store is cheaper than a write that finds nothing.
    if (this.#now() < this.#pausedUntil || !(await store.hasDue(core.db, this.#now()))) return
    while (this.#now() >= this.#pausedUntil && !this.#stopping.signal.aborted) {
      const claim = randomUUID()
      const now = this.#now()
      const claimed = await core.bookkeep((tx) => store.claimNext(tx, claim, { now, endsAt: now + claimMs }))
      if (claimed === undefined) return
      await this.#handle(claimed, { id: claimed.id, claim })
    }
  }

  async #handle(claimed: store.ClaimedMail, held: Held): Promise<void> {
    const { core, mail, answerForgotten } = this.#parts
    try {
      if (this.#now() >= claimed.expiresAt) return await this.#giveUp(held, claimed.fault ?? "expired")
      const opened = await mail.open(core.db, claimed)
      if (opened === undefined) return await this.#giveUp(held, "damaged")
      if (opened.kind === "forgotten") return await answerForgotten(claimed.id, opened.params)
      const fault = await this.#send(outgoing(claimed, opened, mail.settings))
      await (fault === null ? this.#sent(held) : this.#failed(claimed, held, fault))
    } catch (error) {
      // Our own fault, not the mail server's: the database, or the root key.
      await core.bookkeep((tx) => store.release(tx, held, this.#now() + ownFaultPauseMs)).catch(() => undefined)
      throw error
    }
  }

  #send(letter: OutgoingMail): Promise<MailFault | null> {
    const { mail, timeoutMs = 30_000, answerTimeoutMs = 10 * minuteMs, tls } = this.#parts
    const { server, publicUrl } = mail.settings
    const { hostname } = publicUrl
    return sendMail(letter, { server, hostname, timeoutMs, answerTimeoutMs, tls }, this.#stopping.signal)
  }

  async #sent({ id }: Held): Promise<void> {
    const { core, serverIs } = this.#parts
    await core.bookkeep((tx) => store.deleteMail(tx, id))
    this.counts.sent++
    if (this.#serverFailures === 0) return

    this.#serverFailures = 0
    serverIs?.("back")
    await core.bookkeep((tx) => store.retryNow(tx, serverFaults, this.#now()))
  }

  async #failed({ tries }: store.ClaimedMail, held: Held, fault: MailFault): Promise<void> {
    const { core } = this.#parts
    if (fault === "interrupted") return core.bookkeep((tx) => store.release(tx, held, this.#now()))
    if (fault === invalidRecipient) return this.#giveUp(held, fault)
    if ((serverFaults as readonly string[]).includes(fault)) this.#serverFailed(fault)
    this.counts.retried++
    const now = this.#now()
    await core.bookkeep((tx) => store.retryAt(tx, held, { now, dueAt: now + pauseAfter(tries + 1), fault }))
  }

  #serverFailed(fault: MailFault): void {
    this.#serverFailures++
    if (this.#serverFailures === 1) this.#parts.serverIs?.("failing", fault)
    this.#pausedUntil = this.#now() + serverPauseAfter(this.#serverFailures)
  }

  async #giveUp(held: Held, fault: string): Promise<void> {
    this.counts.given_up++
    await this.#parts.core.bookkeep((tx) => store.giveUp(tx, held, { now: this.#now(), fault }))
  }
}

/** A mail that this node has claimed. */
interface Held {
  id: number
  claim: string
}

function outgoing(
  { messageId, notices }: store.ClaimedMail,
  opened: Exclude<OpenedMail, { kind: "forgotten" }>,
  { publicUrl, from }: MailQueue["settings"],
): OutgoingMail {
  const { origin, host } = publicUrl
  const letter = letterOf(opened.kind, opened.params as never, { origin, host, notices })
  return { messageId, from, to: opened.to, subject: letter.subject, text: toText(letter), html: toHtml(letter) }
}

/** Mails that were given up are shown to administrators for so long. */
export const keptMailMs = 30 * dayMs

/** For the metrics. */
export async function waitingMail({ db }: Pick<Bookkeeping, "db">): Promise<number> {
  return (await store.countMail(db)).waiting
}
