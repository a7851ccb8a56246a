import { type Access, type Call, type Envelope, type Level, pathFields, refusal, sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import type { KeyCaller, Member, UserCaller, Visitor } from "../access/caller.ts"
import { AppError, invalid } from "../errors.ts"
import { addressBlock } from "./address.ts"
import { keyCaller } from "./bearer.ts"
import type { Cookies } from "./cookies.ts"
import { type EventStream, eventStream } from "./event-stream.ts"
import type { RequestLimit } from "./limits.ts"
import { refuseOtherOrigins } from "./origin.ts"
import type { TextAnswer } from "./text-answer.ts"

/** What every route needs of the server around it. */
export interface Http {
  app: FastifyInstance
  cookies: Cookies
  /** The user a session token stands for; nothing when the session has ended. */
  identify(token: string): Promise<Pick<UserCaller, "userId" | "sessionId" | "isAdmin"> | undefined>
  limit: RequestLimit
  /** The origin the browser sees, where it is configured. */
  publicOrigin: string | undefined
}

/** What the contract asks for is what the rule gets: no member without a declared level, no user without a session. */
type CallerOf<Who extends Access, At> = Who extends "user" | "admin"
  ? At extends Level
    ? Member
    : UserCaller
  : Visitor

interface CookiesOfAnswer {
  beginSession(token: string): void
  endSession(): void
  knowDevice(token: string): void
}

/** Serves one call of the contract. What must always happen happens here; `handle` is left with the call's own rule. */
export function route<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Who extends "anyone" | "user" | "admin",
  At extends Level | undefined,
>(
  http: Http,
  call: Call<Input, Output, Who, At>,
  handle: (caller: CallerOf<Who, At>, input: z.output<Input>, cookies: CookiesOfAnswer) => Promise<z.output<Output>>,
): void {
  const callers = new WeakMap<FastifyRequest, Visitor | Member>()

  http.app.route({
    method: call.method,
    url: fastifyPath(call.path),
    ...(call.bodyBytes === undefined ? {} : { bodyLimit: call.bodyBytes }),
    // Before the body is read: a guest learns nothing about which inputs a protected call would accept.
    async onRequest(request, reply) {
      if (call.method !== "GET") refuseOtherOrigins(request, http.publicOrigin)
      const visitor = await identifyVisitor(http, request)
      // A cookie that no longer names a session need not be sent again. Only where guests are welcome: a late answer to a
      // call of the old session must not take away the cookie of a new one.
      if (call.access === "anyone" && visitor.kind === "guest" && http.cookies.readSession(request) !== undefined) {
        http.cookies.endSession(reply)
      }
      http.limit(visitor.kind === "guest" ? visitor.address : `user ${visitor.userId}`)
      admit(call.access, visitor)
      callers.set(request, call.level === undefined ? visitor : ({ ...visitor, level: call.level } as Member))
    },
    async handler(request, reply): Promise<Envelope> {
      const caller = callers.get(request) as CallerOf<Who, At>
      const data = call.output.parse(await handle(caller, readInput(call, request), cookiesOf(http, reply)))
      reply.status(call.status ?? 200)
      return { error: false, msg: call.done, data }
    },
  })
}

/** Serves a call whose answer is the text itself, for the holder of an API key. */
export function textRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>, ifNoneMatch: string | undefined) => Promise<TextAnswer>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply) => {
    http.limit(keysOfAddress(request))
    // Read before the key is looked at: it tells nothing but the names of the formats.
    const input = readInput(call, request)
    const { headers, ...answer } = await handle(identifyKey(request), input, request.headers["if-none-match"])
    // The answer brings all of its headers along.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1])
    return reply.status(answer.status).send(answer.status === 304 ? undefined : Buffer.from(answer.body, "latin1"))
  })
}

/** Serves a call for the holder of an API key, enveloped. */
export function keyRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>) => Promise<z.output<Output>>,
): void {
  http.app.get(fastifyPath(call.path), async (request): Promise<Envelope> => {
    http.limit(keysOfAddress(request))
    const data = call.output.parse(await handle(identifyKey(request), readInput(call, request)))
    return { error: false, msg: call.done, data }
  })
}

/** Serves events for the holder of an API key, for as long as both sides like. */
export function streamRoute(
  http: Http,
  call: Call<z.ZodType, z.ZodType, "key">,
  handle: (caller: KeyCaller, open: () => EventStream) => Promise<void>,
): void {
  // A stream has no HEAD: there would be nothing to end it.
  http.app.get(fastifyPath(call.path), { exposeHeadRoute: false }, async (request, reply) => {
    http.limit(keysOfAddress(request))
    await handle(identifyKey(request), () => eventStream(reply))
    return reply
  })
}

async function identifyVisitor(http: Http, request: FastifyRequest): Promise<Visitor> {
  const browser = { address: addressBlock(request.ip), device: http.cookies.readDevice(request) }
  const token = http.cookies.readSession(request)
  const user = token === undefined ? undefined : await http.identify(token)
  return user === undefined ? { kind: "guest", ...browser } : { kind: "user", ...user, ...browser }
}

function identifyKey(request: FastifyRequest): KeyCaller {
  return keyCaller(request.headers.authorization)
}

function admit(access: Access, visitor: Visitor): void {
  if (access === "anyone") return
  if (visitor.kind === "guest") throw new AppError("unauthenticated", sentences.signInFirst)
  if (access === "admin" && !visitor.isAdmin) throw new AppError("forbidden", sentences.adminsOnly)
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

/** By address, since a wrong key costs the most; what memory answers never comes here. */
function keysOfAddress(request: FastifyRequest): string {
  return `keys ${addressBlock(request.ip)}`
}

function fastifyPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
}
