import type { FastifyReply, FastifyRequest } from "fastify"
import type { Visitor } from "../access/caller.ts"
import type { Site } from "../access/site.ts"
import type { Cookies } from "./cookies.ts"

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
}

interface Answerer {
  cookies: Cookies
  publicOrigin: string | undefined
}

/** As the browser sees it. */
export function siteOf({ publicOrigin }: Pick<Answerer, "publicOrigin">, { host }: FastifyRequest): Site {
  return { publicOrigin, host }
}

export function answering(
  http: Answerer,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Answering {
  return {
    site: siteOf(http, request),
    pendingSignIn: http.cookies.readSignIn(request),
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
