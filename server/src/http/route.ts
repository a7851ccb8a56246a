import { type Access, type Call, type Envelope, pathFields, refusal, sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import type { UserCaller, Visitor } from "../access/caller.ts"
import { AppError, invalid } from "../errors.ts"
import { addressBlock } from "./address.ts"
import type { Cookies } from "./cookies.ts"
import { type EventStream, eventStream } from "./event-stream.ts"
import type { RequestLimit } from "./limits.ts"
import { refuseOtherOrigins } from "./origin.ts"

/** What every route needs of the server around it. */
export interface Http {
  app: FastifyInstance
  cookies: Cookies
  /** The user a session token stands for; nothing when the session has ended. */
  identify(token: string): Promise<UserCaller | undefined>
  limit: RequestLimit
  /** The origin the browser sees, where it is configured. */
  publicOrigin: string | undefined
}

type CallerOf<Who extends Access> = Who extends "user" | "admin" ? UserCaller : Visitor

interface CookiesOfAnswer {
  beginSession(token: string): void
  endSession(): void
  knowDevice(token: string): void
}

/** Serves one call of the contract. What must always happen happens here; `handle` is left with the call's own rule. */
export function route<Input extends z.ZodType, Output extends z.ZodType, Who extends "anyone" | "user" | "admin">(
  http: Http,
  call: Call<Input, Output, Who>,
  handle: (caller: CallerOf<Who>, input: z.output<Input>, cookies: CookiesOfAnswer) => Promise<z.output<Output>>,
): void {
  const visitors = new WeakMap<FastifyRequest, Visitor>()

  http.app.route({
    method: call.method,
    url: fastifyPath(call.path),
    ...(call.bodyBytes === undefined ? {} : { bodyLimit: call.bodyBytes }),
    // Before the body is read: a guest learns nothing about which inputs a protected call would accept.
    async onRequest(request, reply) {
      if (call.method !== "GET") refuseOtherOrigins(request, http.publicOrigin)
      const visitor = await visit(http, request)
      // A cookie that no longer names a session need not be sent again. Only said where guests are welcome: a late answer to
      // a call of the old session must not take away the cookie of a new one.
      if (call.access === "anyone" && visitor.user === undefined && http.cookies.readSession(request) !== undefined) {
        http.cookies.endSession(reply)
      }
      http.limit(visitor.user === undefined ? visitor.address : `user ${visitor.user.userId}`)
      admit(call.access, visitor.user)
      visitors.set(request, visitor)
    },
    async handler(request, reply): Promise<Envelope> {
      const visitor = visitors.get(request) as Visitor
      const caller = (call.access === "anyone" ? visitor : visitor.user) as CallerOf<Who>
      const data = call.output.parse(await handle(caller, readInput(call, request), cookiesOf(http, reply)))
      reply.status(call.status ?? 200)
      return { error: false, msg: call.done, data }
    },
  })
}

interface TextAnswer {
  etag: string
  body: Buffer
  headers: Record<string, string>
}

/** Serves a call whose answer is the text itself, for the holder of an API key; 304 when the reader already has it. */
export function textRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (key: string, input: z.output<Input>) => Promise<TextAnswer>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply) => {
    http.limit(keyCaller(request))
    // Read before the key is looked at: it says nothing but how the formats are called.
    const input = readInput(call, request)
    const { etag, body, headers } = await handle(bearer(request), input)
    const isHeld = holds(request.headers["if-none-match"], etag)
    if (!isHeld) return reply.headers({ ...headers, etag }).send(body)
    for (const name of saidBefore) reply.removeHeader(name)
    return reply
      .headers(unchangedHeaders({ ...headers, etag }))
      .status(304)
      .send()
  })
}

/** Serves a call for the holder of an API key, enveloped. */
export function keyRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (key: string, input: z.output<Input>) => Promise<z.output<Output>>,
): void {
  http.app.get(fastifyPath(call.path), async (request): Promise<Envelope> => {
    http.limit(keyCaller(request))
    const data = call.output.parse(await handle(bearer(request), readInput(call, request)))
    return { error: false, msg: call.done, data }
  })
}

/** Serves events for the holder of an API key, for as long as both sides like. */
export function streamRoute(
  http: Http,
  call: Call<z.ZodType, z.ZodType, "key">,
  handle: (key: string, open: () => EventStream) => Promise<void>,
): void {
  // A stream has no HEAD: there would be nothing to end it.
  http.app.get(fastifyPath(call.path), { exposeHeadRoute: false }, async (request, reply) => {
    http.limit(keyCaller(request))
    await handle(bearer(request), () => eventStream(reply))
    return reply
  })
}

async function visit(http: Http, request: FastifyRequest): Promise<Visitor> {
  const address = addressBlock(request.ip)
  const device = http.cookies.readDevice(request)
  const token = http.cookies.readSession(request)
  if (token === undefined) return { address, device, user: undefined }
  return { address, device, user: await http.identify(token) }
}

function admit(access: Access, user: UserCaller | undefined): void {
  if (access === "anyone") return
  if (user === undefined) throw new AppError("unauthenticated", sentences.signInFirst)
  if (access === "admin" && !user.isAdmin) throw new AppError("forbidden", sentences.adminsOnly)
}

function readInput<Input extends z.ZodType>(call: Call<Input>, request: FastifyRequest): z.output<Input> {
  const parsed = call.input.safeParse(rawInput(call, request))
  if (!parsed.success) throw invalid(refusal(parsed.error))
  return parsed.data
}

function rawInput(call: Call, request: FastifyRequest): unknown {
  const inPath = pathFields(call.path)
  const params = request.params as Record<string, string>
  const ids = Object.fromEntries(inPath.map((field) => [field, numberIn(params[field] ?? "")]))
  if (call.method === "GET") return { ...knownQuery(call, request), ...ids }
  if (call.body !== undefined) return { ...numbersInQuery(call, request), ...ids, [call.body]: request.body }

  const body = request.body ?? {}
  if (typeof body !== "object" || Array.isArray(body)) return body
  const clash = inPath.find((field) => Object.hasOwn(body, field))
  if (clash !== undefined) throw invalid(`Unknown field: ${clash}`)
  return { ...body, ...ids }
}

/** Addresses collect parameters on their way (a cache's, a tracker's), so unknown ones are no fault. */
function knownQuery(call: Call, request: FastifyRequest): Record<string, unknown> {
  const shape = "shape" in call.input ? (call.input.shape as Record<string, unknown>) : {}
  return Object.fromEntries(Object.entries(request.query as object).filter(([name]) => Object.hasOwn(shape, name)))
}

function numbersInQuery(call: Call, request: FastifyRequest): Record<string, unknown> {
  const known = Object.entries(knownQuery(call, request))
  return Object.fromEntries(known.map(([name, text]) => [name, numberIn(String(text))]))
}

/** Only plain digits are a number here: `1e3`, `0x1` and `01` are not ids, though JavaScript would read them as such. */
function numberIn(text: string): number | string {
  return /^[1-9]\d*$/.test(text) ? Number(text) : text
}

function cookiesOf(http: Http, reply: FastifyReply): CookiesOfAnswer {
  return {
    beginSession: (token) => http.cookies.beginSession(reply, token),
    endSession: () => http.cookies.endSession(reply),
    knowDevice: (token) => http.cookies.knowDevice(reply, token),
  }
}

/** By address, since a key that is none costs the most; what is answered from memory never comes here. */
function keyCaller(request: FastifyRequest): string {
  return `keys ${addressBlock(request.ip)}`
}

function bearer(request: FastifyRequest): string {
  return /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1] ?? ""
}

const saidBefore = ["content-type", "envkeep-revision", "content-security-policy", "x-content-type-options"]

/** Of a 304, only what its reader does not have yet: the rest came with the state it holds, or is about a body. */
export function unchangedHeaders(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !saidBefore.includes(name)))
}

/** Whether an `If-None-Match` names this ETag. */
export function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(",").some((held) => ["*", etag].includes(held.trim().replace(/^W\//, "")))
}

function fastifyPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
}
