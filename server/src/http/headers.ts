import type { FastifyInstance } from "fastify"

const contentSecurityPolicy = [
  "default-src 'self'",
  // Component styles are set as attributes; scripts are files of ours and nothing else.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

/** On every answer: what browsers must not do with it. */
export function securityHeaders(app: FastifyInstance, { https }: { https: boolean }): void {
  const headers = {
    "content-security-policy": contentSecurityPolicy,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    ...(https ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  }
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(headers)
    // Values and keys are in these answers: no cache, shared or private, may keep one.
    if (request.url.startsWith("/api/")) reply.header("cache-control", "no-store")
  })
}
