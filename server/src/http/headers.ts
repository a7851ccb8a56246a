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

const forPages = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

const underHttps = { "strict-transport-security": "max-age=31536000; includeSubDomains" }

/** For those who read with a key: these answers are for no browser, so they are no page, no frame and in no cache. */
export function headersForKeyHolders(https: boolean): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    ...(https ? underHttps : {}),
  }
}

/** On every answer: what browsers and caches must not do with it. */
export function sendSecurityHeaders(app: FastifyInstance, { https }: { https: boolean }): void {
  const forKeyHolders = headersForKeyHolders(https)
  // Values and keys are in these answers: no cache, shared or private, may keep one.
  // Files and pages, which may be kept, say so themselves.
  const unlessSaid = { ...forPages, ...(https ? underHttps : {}), "cache-control": "no-store" }
  app.addHook("onRequest", (request, reply, done) => {
    // By the route, not by the address: one route has many spellings.
    reply.headers(request.routeOptions.url?.startsWith("/api/v1/") ? forKeyHolders : unlessSaid)
    done()
  })
}
