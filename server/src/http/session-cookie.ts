import type { FastifyReply, FastifyRequest } from "fastify"

export interface SessionCookie {
  read(request: FastifyRequest): string | undefined
  set(reply: FastifyReply, token: string): void
  clear(reply: FastifyReply): void
}

/** Under https the browser itself holds the cookie to this host and to https, by the prefix of its name. */
export function sessionCookie({ https, days }: { https: boolean; days: number }): SessionCookie {
  const name = https ? "__Host-envkeep_session" : "envkeep_session"
  const options = { path: "/", httpOnly: true, sameSite: "lax", secure: https } as const
  return {
    read: (request) => request.cookies[name] || undefined,
    set: (reply, token) => void reply.setCookie(name, token, { ...options, maxAge: days * 24 * 3600 }),
    clear: (reply) => void reply.clearCookie(name, options),
  }
}
