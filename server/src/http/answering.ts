import type { FastifyReply, FastifyRequest } from "fastify"
import type { Visitor } from "../access/caller.ts"
import type { Site } from "../access/site.ts"
import type { Cookies } from "./cookies.ts"
import { type HttpShares, holdAnswer, inTurn, type Turn } from "./shares.ts"

/** What a call may ask for its answer. */
export interface Answering {
  /** The token of a login that waits for its second factor. */
  pendingSignIn: string | undefined
  site: Site
  beginSession(token: string): void
  beginSignIn(token: string): void
  endSignIn(): void
  endSession(): void
  rememberDevice(token: string): void
  /** The browser is about to be sent to a sign-in provider. */
  beginVisit(token: string, seconds: number): void
  /** Waits until the caller may load this many bytes. They count until the answer is sent or its reader is gone. */
  holdBytes(bytes: number): Promise<void>
  /** For what is loaded while the answer is sent: works when it is the caller's turn again. */
  inLaterTurn<Result>(work: () => Promise<Result>): Promise<Result>
}

interface Answerer {
  cookies: Cookies
  shares: HttpShares
  publicOrigin: string | undefined
}

/** As the browser sees it. */
export function siteOf({ publicOrigin }: Pick<Answerer, "publicOrigin">, { host }: FastifyRequest): Site {
  return { publicOrigin, host }
}

export function answering(
  http: Answerer,
  { caller, turn, request, reply }: { caller: Visitor; turn: Turn; request: FastifyRequest; reply: FastifyReply },
): Answering {
  return {
    site: siteOf(http, request),
    pendingSignIn: http.cookies.readSignIn(request),
    async holdBytes(amount) {
      // A slow reader of earlier answers must not keep the places of others while it waits for itself.
      turn.end()
      await holdAnswer(http.shares, { caller: shareOf(caller), amount, reply })
      await turn.begin()
    },
    inLaterTurn: (work) => inTurn(turn, work),
    beginSession: (token) => http.cookies.beginSession(reply, token),
    beginSignIn: (token) => http.cookies.beginSignIn(reply, token),
    endSignIn: () => http.cookies.endSignIn(reply),
    endSession: () => http.cookies.endSession(reply),
    rememberDevice: (token) => http.cookies.rememberDevice(reply, token),
    beginVisit: (token, seconds) => http.cookies.beginVisit(reply, token, seconds),
  }
}

/** By which the caller's requests and bytes are counted. */
export function shareOf(visitor: Visitor): string {
  return visitor.kind === "guest" ? visitor.address : `user ${visitor.userId}`
}
