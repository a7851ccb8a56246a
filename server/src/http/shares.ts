import { limits, sentences } from "@envkeep/contract"
import type { FastifyReply, FastifyRequest } from "fastify"
import { Shares } from "../bounds/shares.ts"
import { ownTurn } from "../bounds/turns.ts"
import { invalid } from "../errors.ts"

const mebibyte = 1024 * 1024

const bodyBytesInAll = 32 * mebibyte
/** Every so often a body that is still arriving may have to give way to those that wait. */
const slowCheckMs = 5_000

/** More than a screen or a script sends at once. */
const waitingPerCaller = 1_000

/**
 * What the requests under way share. Users are callers of their own; everyone else is counted by address. Calls of users
 * and lookups by key hold a connection to the database for longest, and leave two of PostgreSQL's ten to all the others.
 */
export function createHttpShares() {
  return {
    userCalls: new Shares({ total: 5, perCaller: 3, waitingPerCaller }),
    /** Apart from those of users, because most of them wait for the hash of a password. */
    guestCalls: new Shares({ total: 3, perCaller: 2, waitingPerCaller }),
    /** Apart from the others, because they wait for another server. */
    providerVisits: new Shares({ total: 100, perCaller: 20, waitingPerCaller: 100 }),
    sessionLookups: new Shares({ total: 2, perCaller: 2, waitingPerCaller }),
    /** Reads by key that memory cannot answer, and what else a key opens. */
    keyLookups: new Shares({ total: 3, perCaller: 2, waitingPerCaller }),
    /** Of bodies over the usual limit, from before they are read until the answer is ready. */
    bodyBytes: new Shares({ total: bodyBytesInAll, perCaller: limits.bulkBodyBytes, waitingPerCaller: 100 }),
    /** What was loaded for an answer and is not yet received: one large collection, or many small ones. */
    unsentBytes: new Shares({ total: 64 * mebibyte, perCaller: limits.collectionBytes, waitingPerCaller: 50 }),
    /** Answers for which more is loaded than a caller's share of these bytes: only that much of it is counted. */
    hugeAnswers: new Shares({ total: 1, perCaller: 1, waitingPerCaller: 50 }),
  }
}

export type HttpShares = ReturnType<typeof createHttpShares>

interface Wish {
  caller: string
  amount?: number
  reply: FastifyReply
}

/** Holds a share until the answer is sent or its reader is gone. Returns the function that gives it back earlier. */
async function holdUntilSent(shares: Shares, { caller, amount, reply }: Wish): Promise<() => void> {
  const giveBack = await shares.take(caller, amount)
  endIfGone(reply, giveBack)
  reply.raw.once("close", giveBack)
  return giveBack
}

/** Holds the bytes of a body. One that arrives slowly is cut off if others wait and find no room. */
export async function holdBody(
  { bodyBytes }: HttpShares,
  wish: Wish & { request: FastifyRequest },
): Promise<() => void> {
  const giveBack = await holdUntilSent(bodyBytes, wish)
  const { request, reply } = wish
  const timer = setInterval(() => {
    const { taken, waiting } = bodyBytes.state()
    const isFull = waiting > 0 && taken > bodyBytesInAll - limits.bulkBodyBytes
    if (isFull && !request.raw.complete) request.raw.destroy()
  }, slowCheckMs)
  reply.raw.once("close", () => clearInterval(timer))
  return giveBack
}

/** So few bytes are no reason to let a caller wait. */
const smallAnswerBytes = 64 * 1024
/** A reader that takes less than this between two checks hardly reads. */
const slowAnswerBytes = 64 * 1024

/** Holds the bytes of an answer. */
export async function holdAnswer(
  { unsentBytes, hugeAnswers }: HttpShares,
  wish: Wish & { amount: number },
): Promise<void> {
  if (wish.amount <= smallAnswerBytes) return
  if (wish.amount > limits.collectionBytes) {
    await holdUntilSent(hugeAnswers, { caller: wish.caller, reply: wish.reply })
    endIfSlow(hugeAnswers, wish.reply)
  }
  await holdUntilSent(unsentBytes, wish)
  endIfSlow(unsentBytes, wish.reply)
}

/** A reader that hardly takes its answer is cut off if others wait for room. */
function endIfSlow(shares: Shares, { raw }: FastifyReply): void {
  let sentBytes = 0
  const timer = setInterval(() => {
    // Nothing to read yet, or not at the moment: it is the call that takes its time.
    if (!raw.headersSent || raw.writableLength === 0) return
    const before = sentBytes
    sentBytes = raw.socket?.bytesWritten ?? 0
    if (shares.state().waiting > 0 && sentBytes - before < slowAnswerBytes) raw.destroy()
  }, slowCheckMs)
  raw.once("close", () => clearInterval(timer))
}

/** A call's place among those in progress. It can be left to wait for something else. */
export interface Turn {
  begin(): Promise<void>
  end(): void
}

export function turnOf(shares: Shares, { caller, reply }: Wish): Turn {
  let giveBack: (() => void) | undefined
  return {
    async begin() {
      // Back from waiting for something else, it need not queue behind the caller's later calls.
      giveBack = await (giveBack === undefined ? shares.take(caller) : shares.takeNext(caller))
      await ownTurn()
      endIfGone(reply, giveBack)
    },
    end: () => giveBack?.(),
  }
}

export async function inTurn<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
  try {
    await turn.begin()
    return await work()
  } finally {
    turn.end()
  }
}

/** No work is done for a caller that has hung up while waiting. */
function endIfGone(reply: FastifyReply, giveBack: () => void): void {
  if (!reply.raw.closed) return
  giveBack()
  throw invalid(sentences.badRequest) // never seen
}
