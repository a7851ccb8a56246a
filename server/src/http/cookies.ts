import type { FastifyReply, FastifyRequest } from "fastify"

/** The two cookies there are: who is signed in, and that an account's owner has signed in from this browser before. */
export interface Cookies {
  readSession(request: FastifyRequest): string | undefined
  readDevice(request: FastifyRequest): string
  beginSession(reply: FastifyReply, token: string): void
  knowDevice(reply: FastifyReply, token: string): void
  endSession(reply: FastifyReply): void
}

/** Under https the browser itself holds the cookies to this host and to https, by the prefix of their names. */
export function sessionCookies({ https, days }: { https: boolean; days: number }): Cookies {
  const prefix = https ? "__Host-" : ""
  const [session, device] = [`${prefix}envkeep_session`, `${prefix}envkeep_device`]
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: https } as const
  const kept = { ...options, maxAge: days * 24 * 3600 }
  return {
    readSession: (request) => request.cookies[session] || undefined,
    readDevice: (request) => request.cookies[device] ?? "",
    beginSession: (reply, token) => void reply.setCookie(session, token, kept),
    knowDevice: (reply, token) => void reply.setCookie(device, token, kept),
    endSession: (reply) => void reply.clearCookie(session, options),
  }
}
