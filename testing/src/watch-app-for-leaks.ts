import type { FastifyInstance } from "fastify"
import {
  logSource,
  recordOutput,
  registerBearerToken,
  registerCookies,
  registerSecret,
  registerSecretsIn,
  registerSecretsInJson,
  urlSource,
} from "./leaks.ts"

const showsSecrets = new Set([
  "/api/api-key",
  "/api/api-key/:id/roll",
  "/api/users/me/tokens",
  "/api/users/me/totp",
  "/api/users/me/totp/confirm",
  "/api/users/me/recovery-codes",
  "/api/users/me/passkeys",
  "/api/cli/logins",
  "/api/cli/logins/poll",
  "/api/collections/:id/webhooks",
])

/** Watches an app in this process: registers the secrets in requests, and records answers and log lines. */
export function watchAppForLeaks(app: FastifyInstance, log: string[], rootKey: Buffer): void {
  for (const encoding of ["hex", "base64"] as const) registerSecret("the root key", rootKey.toString(encoding))
  recordLog(log)

  app.addHook("onRequest", (request, _, done) => {
    recordOutput(urlSource, request.url)
    registerCookies(request.headers.cookie ?? "")
    registerBearerToken(request.headers.authorization ?? "")
    done()
  })
  app.addHook("preValidation", (request, _, done) => {
    registerSecretsIn(request.body)
    done()
  })
  app.addHook("onSend", (request, reply, payload, done) => {
    const { "set-cookie": cookies, ...headers } = reply.getHeaders()
    for (const cookie of [cookies ?? []].flat()) registerCookies(String(cookie).split(";")[0] ?? "")
    recordOutput("the headers of an answer", JSON.stringify(headers))
    if (reply.statusCode >= 400) recordOutput(`the answer ${reply.statusCode}`, String(payload))
    if (showsSecrets.has(request.routeOptions.url ?? "")) registerSecretsInJson(String(payload))
    done()
  })
}

/** Records every line from now on; the test still gets them in `log`. */
function recordLog(log: string[]): void {
  const push = log.push.bind(log)
  log.push = (...lines) => {
    for (const line of lines) recordOutput(logSource, line)
    return push(...lines)
  }
}
