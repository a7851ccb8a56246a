import type { FastifyReply, FastifyRequest } from "fastify"

/** Our two cookies: the session, and a token of a browser in which an account's owner has logged in before. */
export interface Cookies {
  readSession(request: FastifyRequest): string | undefined
  readDevice(request: FastifyRequest): string
  beginSession(reply: FastifyReply, token: string): void
  rememberDevice(reply: FastifyReply, token: string): void
  endSession(reply: FastifyReply): void
}

/** Under https, the `__Host-` prefix makes the browser restrict the cookies to this host and to https. */
export function sessionCookies({ https, days }: { https: boolean; days: number }): Cookies {
  const prefix = https ? "__Host-" : ""
  const [session, device] = [`${prefix}envkeep_session`, `${prefix}envkeep_device`]
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: https } as const
  const lasting = { ...options, maxAge: days * 24 * 3600 }
  return {
    readSession: (request) => request.cookies[session] || undefined,
    readDevice: (request) => request.cookies[device] ?? "",
    beginSession: (reply, token) => void reply.setCookie(session, token, lasting),
    rememberDevice: (reply, token) => void reply.setCookie(device, token, lasting),
    endSession: (reply) => void reply.clearCookie(session, options),
  }
}
