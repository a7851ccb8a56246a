import type { FastifyReply, FastifyRequest } from "fastify"
import type { Visitor } from "../access/caller.ts"
import { shareOf } from "./answering.ts"
import { isFromOtherSite } from "./origin.ts"
import { type Http, identifyVisitor } from "./route.ts"
import { inTurn, turnOf } from "./shares.ts"

/** A browser on its way: what it asks for, and what its answer can set. */
export interface Navigation {
  caller: Visitor
  provider: string
  query: URLSearchParams
  /** Whether a page of another site has sent it. Old browsers do not say. */
  isFromOtherSite: boolean
  /** The token of its visit to a sign-in provider. */
  visit: string | undefined
  beginVisit(token: string, seconds: number): void
  endVisit(): void
  beginSession(token: string): void
  /** A login that waits for its second factor. */
  beginSignIn(token: string): void
  rememberDevice(token: string): void
}

/** Which of our pages tells about an error, and whether it is one that we should look into. */
interface Failure {
  address: string
  isOurFault: boolean
}

/** The caller is undefined if it is not known who it is. */
type Failed = (error: unknown, caller: Visitor | undefined) => Failure

/**
 * Serves an address that a browser goes to, and is sent on from. A person cannot read an answer in JSON, so this one never
 * fails: a page says what went wrong.
 */
export function navigationRoute(
  http: Http,
  path: `/api/sign-in/:provider${string}`,
  handle: (navigation: Navigation) => Promise<string>,
  failed: Failed,
): void {
  // No HEAD: a program that looks at a link must not use it up.
  http.app.get(path, { exposeHeadRoute: false }, async (request, reply) => {
    let caller: Visitor | undefined
    try {
      caller = await identifyVisitor(http, { request, reply, token: undefined })
      return reply.redirect(await navigate(http, { request, reply, caller }, handle), 302)
    } catch (error) {
      const { address, isOurFault } = failed(error, caller)
      if (isOurFault) request.log.error({ err: error }, "unexpected error")
      return reply.redirect(address, 302)
    }
  })
}

async function navigate(
  http: Http,
  { request, reply, caller }: { request: FastifyRequest; reply: FastifyReply; caller: Visitor },
  handle: (navigation: Navigation) => Promise<string>,
): Promise<string> {
  http.limit(shareOf(caller))
  const { provider = "" } = request.params as { provider?: string }
  const start = request.url.indexOf("?")
  const turn = turnOf(http.shares.providerVisits, { caller: shareOf(caller), reply })
  return inTurn(turn, () =>
    handle({
      caller,
      provider,
      query: new URLSearchParams(start === -1 ? "" : request.url.slice(start)),
      isFromOtherSite: isFromOtherSite(request),
      visit: http.cookies.readVisit(request),
      beginVisit: (token, seconds) => http.cookies.beginVisit(reply, token, seconds),
      endVisit: () => http.cookies.endVisit(reply),
      beginSignIn: (token) => http.cookies.beginSignIn(reply, token),
      beginSession: (token) => http.cookies.beginSession(reply, token),
      rememberDevice: (token) => http.cookies.rememberDevice(reply, token),
    }),
  )
}
