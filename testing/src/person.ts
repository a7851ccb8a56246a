import { randomUUID } from "node:crypto"
import type { ApiKey, Collection, Envelope, Environment, Item } from "@envkeep/contract"
import type { FastifyInstance, InjectOptions } from "fastify"

export interface Answer<Data = unknown> {
  status: number
  headers: Record<string, unknown>
  body: Envelope<Data>
  text: string
}

export type Person = ReturnType<typeof person>

type Headers = Record<string, string>

/**
 * A user who makes calls as a browser does: it keeps the cookies it is given and sends them back. With a personal token,
 * it makes calls as a program does.
 */
export function person(app: FastifyInstance, email = "", token?: string) {
  const cookies = new Map<string, string>()
  const self = {
    email,
    /** The Cookie header that is sent. */
    cookie: "",
    /** Deletes all cookies, as if in a new browser. */
    forget() {
      cookies.clear()
      self.cookie = ""
    },
    keep(name: string, value: string) {
      cookies.set(name, value)
      self.cookie = Array.from(cookies, (cookie) => cookie.join("=")).join("; ")
    },

    /** Goes on with a session that was begun elsewhere. */
    resume(name: string, value: string) {
      cookies.set(name, value)
      self.cookie = `${name}=${value}`
    },

    get: <Data>(path: string, headers: Headers = {}) => send<Data>({ method: "GET", url: `/api${path}`, headers }),
    post: <Data>(path: string, body?: unknown, headers?: Headers) => write<Data>("POST", path, body, headers),
    put: <Data>(path: string, body?: unknown, headers?: Headers) => write<Data>("PUT", path, body, headers),
    delete: <Data>(path: string, headers?: Headers) => write<Data>("DELETE", path, undefined, headers),

    async collection(name = "app"): Promise<Collection> {
      return (await self.post<Collection>("/collection", { name, description: "" })).body.data
    },
    async environment(name = "production", collectionId?: number): Promise<Environment> {
      const owner = collectionId ?? (await self.collection()).id
      return (await self.post<Environment>("/subcollection", { name, collectionId: owner })).body.data
    },
    async item(environment: { id: number }, name = "NAME", value: string = randomUUID()): Promise<Item> {
      return (await self.post<Item>("/collectionItem", { name, value, subCollectionId: environment.id })).body.data
    },
    async apiKey(environment: { id: number }, name = "ci"): Promise<ApiKey & { key: string }> {
      const { body } = await self.post<ApiKey>("/api-key", { name, subCollectionId: environment.id })
      return body.data as ApiKey & { key: string }
    },
    /** Deletes what is in the trash forever. */
    purge: (kind: "collections" | "environments", { id, name }: { id: number; name: string }) =>
      self.post(`/trash/${kind}/${id}/purge`, { name }),
    async itemsOf(environment: { id: number }): Promise<Item[]> {
      return (await self.get<Environment>(`/subcollection/${environment.id}`)).body.data.collectionItems
    },
    /** Reads the variables with this API key. */
    variables: (key: string, query = "", headers: Headers = {}) =>
      self.get<unknown>(`/v1/variables${query}`, { authorization: `Bearer ${key}`, ...headers }),
    send,
  }
  return self

  function write<Data>(method: "POST" | "PUT" | "DELETE", path: string, body: unknown, headers: Headers = {}) {
    if (body === undefined) return send<Data>({ method, url: `/api${path}`, headers })
    const typed = { "content-type": "application/json", ...headers }
    return send<Data>({ method, url: `/api${path}`, payload: JSON.stringify(body), headers: typed })
  }

  async function send<Data>(request: InjectOptions): Promise<Answer<Data>> {
    const identity: Headers = {
      ...(self.cookie ? { cookie: self.cookie } : {}),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    }
    const answer = await app.inject({ ...request, headers: { ...identity, ...request.headers } })
    for (const { name, value } of answer.cookies) self.keep(name, value)
    const isJson = answer.body !== "" && String(answer.headers["content-type"]).startsWith("application/json")
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: (isJson ? answer.json() : undefined) as Envelope<Data>,
      text: answer.body,
    }
  }
}
