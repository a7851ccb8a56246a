import type { FastifyInstance } from "fastify"
import { anAddress, hear, hide, hideBearer, hideCookies, hideIn, hideInJson, theLog } from "./leaks.ts"

/** Listens at an app in this process: what comes in tells the secrets, what goes out and is logged must not hold them. */
export function hearApp(app: FastifyInstance, log: string[], rootKey: Buffer): void {
  for (const encoding of ["hex", "base64"] as const) hide("the root key", rootKey.toString(encoding))
  hearAll(log)

  app.addHook("onRequest", (request, _, done) => {
    hear(anAddress, request.url)
    hideCookies(request.headers.cookie ?? "")
    hideBearer(request.headers.authorization ?? "")
    done()
  })
  app.addHook("preValidation", (request, _, done) => {
    hideIn(request.body)
    done()
  })
  app.addHook("onSend", (request, reply, payload, done) => {
    const { "set-cookie": cookies, ...headers } = reply.getHeaders()
    for (const cookie of [cookies ?? []].flat()) hideCookies(String(cookie).split(";")[0] ?? "")
    hear("the head of an answer", JSON.stringify(headers))
    if (reply.statusCode >= 400) hear(`the answer ${reply.statusCode}`, String(payload))
    if (request.routeOptions.url === "/api/api-key") hideInJson(String(payload))
    done()
  })
}

/** Every line from now on, beside whoever reads the log itself. */
function hearAll(log: string[]): void {
  const push = log.push.bind(log)
  log.push = (...lines) => {
    for (const line of lines) hear(theLog, line)
    return push(...lines)
  }
}
