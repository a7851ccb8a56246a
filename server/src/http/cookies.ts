import type { FastifyReply, FastifyRequest } from "fastify"

/**
 * Our cookies: the session, a login that waits for its second factor, a token of a browser in which an account's owner has
 * logged in before, and one of a browser that was sent to a sign-in provider.
 */
export interface Cookies {
  readSession(request: FastifyRequest): string | undefined
  readSignIn(request: FastifyRequest): string | undefined
  readDevice(request: FastifyRequest): string
  beginSession(reply: FastifyReply, token: string): void
  beginSignIn(reply: FastifyReply, token: string): void
  rememberDevice(reply: FastifyReply, token: string): void
  endSession(reply: FastifyReply): void
  readVisit(request: FastifyRequest): string | undefined
  beginVisit(reply: FastifyReply, token: string, seconds: number): void
  endVisit(reply: FastifyReply): void
  endSignIn(reply: FastifyReply): void
}

interface CookieTimes {
  https: boolean
  days: number
  signInMinutes: number
}

export const sessionCookieName = "envkeep_session"

/** Under https, the `__Host-` prefix makes the browser restrict the cookies to this host and to https. */
export function sessionCookies({ https, days, signInMinutes }: CookieTimes): Cookies {
  const prefix = https ? "__Host-" : ""
  const [session, device] = [`${prefix}${sessionCookieName}`, `${prefix}envkeep_device`]
  const signIn = `${prefix}envkeep_sign_in`
  const visit = `${prefix}envkeep_provider_visit`
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: https } as const
  const lasting = { ...options, maxAge: days * 24 * 3600 }
  return {
    readSession: (request) => request.cookies[session] || undefined,
    readSignIn: (request) => request.cookies[signIn] || undefined,
    readDevice: (request) => request.cookies[device] ?? "",
    beginSession: (reply, token) => void reply.setCookie(session, token, lasting),
    beginSignIn: (reply, token) => void reply.setCookie(signIn, token, { ...options, maxAge: signInMinutes * 60 }),
    rememberDevice: (reply, token) => void reply.setCookie(device, token, lasting),
    endSession: (reply) => void reply.clearCookie(session, options),
    endSignIn: (reply) => void reply.clearCookie(signIn, options),
    readVisit: (request) => request.cookies[visit] || undefined,
    beginVisit: (reply, token, seconds) => void reply.setCookie(visit, token, { ...options, maxAge: seconds }),
    endVisit: (reply) => void reply.clearCookie(visit, options),
  }
}
