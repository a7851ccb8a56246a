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

/** Sends what waits in the queue, one mail after the other. */
export interface MailSender {
  /** Starts to send what is due, and does not wait for it. */
  poll(): void
  /** Sends all that is due, and waits until that is done or the mail server fails. */
  sendDue(): Promise<void>
  /** Ends what is going on. It is sent again, by this node or another. */
  stop(): Promise<void>
  counts: MailCounts
}

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

export function createMailSender({
  core,
  mail,
  answerForgotten,
  warn,
  serverIs = () => undefined,
  now = Date.now,
  timeoutMs = 30_000,
  answerTimeoutMs = 10 * minuteMs,
  tls,
}: SenderParts): MailSender {
  const counts: MailCounts = { sent: 0, retried: 0, given_up: 0 }
  const stopping = new AbortController()
  const { settings } = mail
  let sending: Promise<void> | undefined
  /** Of the mail server, in a row. */
  let serverFailures = 0
  let pausedUntil = 0

  return {
    counts,
    poll: () => void sendDue().catch((error: unknown) => warn(error, "could not send mails; retrying")),
    sendDue,
    async stop() {
      stopping.abort()
      await sending?.catch(() => undefined)
    },
  }

  function sendDue(): Promise<void> {
    sending ??= sendAll().finally(() => {
      sending = undefined
    })
    return sending
  }

  async function sendAll(): Promise<void> {
    // A look at the store is cheaper than a write that finds nothing.
    if (now() < pausedUntil || !(await store.hasDue(core.db, now()))) return
    while (now() >= pausedUntil && !stopping.signal.aborted) {
      const claim = randomUUID()
      const claimed = await core.bookkeep((tx) => store.claimNext(tx, claim, { now: now(), endsAt: now() + claimMs }))
      if (claimed === undefined) return
      await handle(claimed, claim)
    }
  }

  async function handle(claimed: store.ClaimedMail, claim: string): Promise<void> {
    const held = { id: claimed.id, claim }
    try {
      if (now() >= claimed.expiresAt) return await giveUp(held, claimed.fault ?? "expired")
      const opened = await mail.open(core.db, claimed)
      if (opened === undefined) return await giveUp(held, "damaged")
      if (opened.kind === "forgotten") return await answerForgotten(claimed.id, opened.params)
      const fault = await sendMail(
        outgoing(claimed, opened),
        { server: settings.server, hostname: settings.publicUrl.hostname, timeoutMs, answerTimeoutMs, tls },
        stopping.signal,
      )
      await (fault === null ? sent(held) : failed(claimed, held, fault))
    } catch (error) {
      // Our own fault, not the mail server's: the database, or the root key.
      await core.bookkeep((tx) => store.release(tx, held, now() + ownFaultPauseMs)).catch(() => undefined)
      throw error
    }
  }

  function outgoing(
    { messageId, notices }: store.ClaimedMail,
    opened: Exclude<OpenedMail, { kind: "forgotten" }>,
  ): OutgoingMail {
    const { origin, host } = settings.publicUrl
    const letter = letterOf(opened.kind, opened.params as never, { origin, host, notices })
    const { subject } = letter
    return { messageId, from: settings.from, to: opened.to, subject, text: toText(letter), html: toHtml(letter) }
  }

  async function sent({ id }: { id: number }): Promise<void> {
    await core.bookkeep((tx) => store.deleteMail(tx, id))
    counts.sent++
    if (serverFailures === 0) return
    serverFailures = 0
    serverIs("back")
    await core.bookkeep((tx) => store.retryNow(tx, serverFaults, now()))
  }

  async function failed(
    { tries }: store.ClaimedMail,
    held: { id: number; claim: string },
    fault: MailFault,
  ): Promise<void> {
    if (fault === "interrupted") return core.bookkeep((tx) => store.release(tx, held, now()))
    if (fault === invalidRecipient) return giveUp(held, fault)
    if ((serverFaults as readonly string[]).includes(fault)) {
      serverFailures++
      if (serverFailures === 1) serverIs("failing", fault)
      pausedUntil = now() + serverPauseAfter(serverFailures)
    }
    counts.retried++
    const dueAt = now() + pauseAfter(tries + 1)
    await core.bookkeep((tx) => store.retryAt(tx, held, { now: now(), dueAt, fault }))
  }

  async function giveUp(held: { id: number; claim: string }, fault: string): Promise<void> {
    counts.given_up++
    await core.bookkeep((tx) => store.giveUp(tx, held, { now: now(), fault }))
  }
}

/** Mails that were given up are shown to administrators for so long. */
export const keptMailMs = 30 * dayMs

/** For the metrics. */
export async function waitingMail({ db }: Pick<Bookkeeping, "db">): Promise<number> {
  return (await store.countMail(db)).waiting
}
