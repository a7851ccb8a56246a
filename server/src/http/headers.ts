import type { FastifyInstance } from "fastify"

const contentSecurityPolicy = [
  "default-src 'self'",
  // Components set their styles as attributes. Scripts come only from our own files.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ")

const pageHeaders = {
  "content-security-policy": contentSecurityPolicy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

const httpsHeaders = { "strict-transport-security": "max-age=31536000; includeSubDomains" }

/** For answers to API keys. No browser needs them, so none may show, frame or cache them. */
export function headersForKeyHolders(https: boolean): Record<string, string> {
  return {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    ...(https ? httpsHeaders : {}),
  }
}

export function sendSecurityHeaders(app: FastifyInstance, { https }: { https: boolean }): void {
  const keyHolderHeaders = headersForKeyHolders(https)
  // Answers contain values and keys, so no cache may keep one. Files and pages replace this header.
  const defaultHeaders = { ...pageHeaders, ...(https ? httpsHeaders : {}), "cache-control": "no-store" }
  app.addHook("onRequest", (request, reply, done) => {
    // By the route, not by the URL, which can be written in many ways.
    const { url } = request.routeOptions
    // A stream of events is no more shown by a browser than an answer to an API key is.
    const isNeverShown = url?.startsWith("/api/v1/") || url?.endsWith("/live")
    reply.headers(isNeverShown ? keyHolderHeaders : defaultHeaders)
    done()
  })
}
