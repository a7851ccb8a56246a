import { Agent, type IncomingHttpHeaders, request } from "node:http"
import { text as textOf } from "node:stream/consumers"
import type { ApiKey, Collection, Envelope, Environment } from "@envkeep/contract"
import type { Request } from "./line.ts"

export interface Reply {
  /** 0 for a call that got no answer; the text then says why. */
  status: number
  headers: IncomingHttpHeaders
  text: string
}

/** Makes calls whose answers the caller looks at, whatever they are. */
export interface Client {
  ask(request: Request): Promise<Reply>
  /** Ends its connections, which stay open until then. */
  close(): void
}

/** With `timeoutMs`, a call that takes longer gets no answer. */
export function clientOf(url: string, { timeoutMs }: { timeoutMs?: number } = {}): Client {
  const agent = new Agent({ keepAlive: true })
  const send = ({ method = "GET", path, headers = {}, body }: Request): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const typed = body === undefined ? {} : { "content-type": "application/json" }
      const limit = timeoutMs === undefined ? {} : { signal: AbortSignal.timeout(timeoutMs) }
      const call = request(
        `${url}${path}`,
        { agent, method, headers: { ...typed, ...headers }, ...limit },
        (answer) => {
          const { statusCode: status = 0, headers } = answer
          textOf(answer).then((text) => resolve({ status, headers, text }), reject)
        },
      )
      call.on("error", reject)
      call.end(typeof body === "string" ? body : JSON.stringify(body))
    })
  return {
    ask: (request) => send(request).catch((error: Error) => ({ status: 0, headers: {}, text: error.message })),
    close: () => agent.destroy(),
  }
}

/** A call that must succeed. */
async function mustAsk(url: string, request: Request): Promise<Reply> {
  const client = clientOf(url)
  const reply = await client.ask(request)
  client.close()
  if (reply.status >= 200 && reply.status <= 299) return reply
  throw new Error(`${request.method ?? "GET"} ${request.path}: ${reply.status} ${reply.text}`)
}

/** The cookies of a login, to send back. */
export function cookieOf({ headers }: Reply): string {
  return (headers["set-cookie"] ?? []).map((cookie) => cookie.split(";")[0]).join("; ")
}

export const email = "owner@example.com"
export const password = "correct horse battery staple"

/** Makes what is measured, by the calls that a user makes. All of them must succeed. */
export type User = ReturnType<typeof userWith>

export function userWith(url: string, cookie: string) {
  const user = {
    cookie,
    get: <Data>(path: string) => call<Data>({ path }),
    post: <Data>(path: string, body: unknown) => call<Data>({ method: "POST", path, body }),
    collection: async (name = "app") => (await user.post<Collection>("/collection", { name, description: "" })).id,
    environment: async (name: string, collectionId: number) =>
      (await user.post<Environment>("/subcollection", { name, collectionId })).id,
    key: async (subCollectionId: number) =>
      (await user.post<ApiKey>("/api-key", { name: "ci", subCollectionId })).key ?? "",
  }
  return user

  async function call<Data>(request: Request): Promise<Data> {
    const { text } = await mustAsk(url, { ...request, path: `/api${request.path}`, headers: { cookie } })
    return (JSON.parse(text) as Envelope<Data>).data
  }
}

export async function register(url: string, as = email): Promise<void> {
  await userWith(url, "").post("/users/register", { username: "owner", email: as, password, password2: password })
}

export async function login(url: string, as = email): Promise<User> {
  const body = { email: as, password }
  return userWith(url, cookieOf(await mustAsk(url, { method: "POST", path: "/api/users/login", body })))
}
