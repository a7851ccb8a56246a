import { type Access, type Call, type Envelope, type Level, sentences } from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import type { KeyCaller, Member, UserCaller, Visitor } from "../access/caller.ts"
import type { Shares } from "../bounds/shares.ts"
import { AppError } from "../errors.ts"
import { addressBlock } from "./address.ts"
import { keyCaller } from "./bearer.ts"
import type { Cookies } from "./cookies.ts"
import { type EventStream, eventStream } from "./event-stream.ts"
import { readInput } from "./input.ts"
import { mayBeLong, sendLongJson } from "./json-answer.ts"
import type { RequestLimit } from "./limits.ts"
import { refuseOtherOrigins } from "./origin.ts"
import type { TextAnswer } from "./text-answer.ts"

/** What every route needs from the server. */
export interface Http {
  app: FastifyInstance
  cookies: Cookies
  /** The user of a session token, or undefined if the session has ended. */
  identify(token: string): Promise<Pick<UserCaller, "userId" | "sessionId" | "isAdmin"> | undefined>
  limit: RequestLimit
  /** The bytes that callers may have loaded and not yet received. */
  unsentBytes: Shares
  /** The origin that browsers see, if it is configured. */
  publicOrigin: string | undefined
}

/** The contract's access and level decide which caller a rule gets: a member needs a level, a user needs a session. */
type CallerOf<Who extends Access, At> = Who extends "user" | "admin"
  ? At extends Level
    ? Member
    : UserCaller
  : Visitor

/** What a call may ask for its answer. */
interface Answering {
  beginSession(token: string): void
  endSession(): void
  rememberDevice(token: string): void
  /** Waits until the caller may load this many bytes. They count until the answer is sent or its reader is gone. */
  holdBytes(bytes: number): Promise<void>
}

/** Serves one call of the contract: does everything that all calls have in common, and `handle` does the rest. */
export function route<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Who extends "anyone" | "user" | "admin",
  At extends Level | undefined,
>(
  http: Http,
  call: Call<Input, Output, Who, At>,
  handle: (caller: CallerOf<Who, At>, input: z.output<Input>, answering: Answering) => Promise<z.output<Output>>,
): void {
  const callers = new WeakMap<FastifyRequest, Visitor | Member>()
  const isLong = mayBeLong(call.output)

  http.app.route({
    method: call.method,
    url: fastifyPath(call.path),
    ...(call.bodyBytes === undefined ? {} : { bodyLimit: call.bodyBytes }),
    ...(call.bodyParts === undefined ? {} : { config: { bodyParts: call.bodyParts } }),
    // Before the body is read: a guest must not learn which inputs a protected call accepts.
    async onRequest(request, reply) {
      if (call.method !== "GET") refuseOtherOrigins(request, http.publicOrigin)
      const visitor = await identifyVisitor(http, request)
      // Removes the cookie of an ended session, but only on calls that guests may make: a late answer to a call of the
      // old session must not remove the cookie of a new one.
      if (call.access === "anyone" && visitor.kind === "guest" && http.cookies.readSession(request) !== undefined) {
        http.cookies.endSession(reply)
      }
      http.limit(shareOf(visitor))
      admit(call.access, visitor)
      callers.set(request, call.level === undefined ? visitor : ({ ...visitor, level: call.level } as Member))
    },
    async handler(request, reply): Promise<Envelope | FastifyReply> {
      const caller = callers.get(request) as CallerOf<Who, At>
      const data = await handle(caller, readInput(call, request), answering(http, caller, reply))
      reply.status(call.status ?? 200)
      if (isLong) return sendLongJson(reply, { msg: call.done, schema: call.output, data })
      return { error: false, msg: call.done, data: call.output.parse(data) }
    },
  })
}

/** Serves a call with an API key whose answer is plain text. */
export function textRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>, ifNoneMatch: string | undefined) => Promise<TextAnswer>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply) => {
    http.limit(keyReader(request))
    // Read before the key is checked: a refusal reveals only the names of the formats.
    const input = readInput(call, request)
    const { headers, ...answer } = await handle(identifyKey(request), input, request.headers["if-none-match"])
    // The answer contains all of its headers.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1])
    return reply.status(answer.status).send(answer.status === 304 ? undefined : Buffer.from(answer.body, "latin1"))
  })
}

/** Serves a call with an API key whose answer is in the envelope. */
export function keyRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>) => Promise<z.output<Output>>,
): void {
  http.app.get(fastifyPath(call.path), async (request): Promise<Envelope> => {
    http.limit(keyReader(request))
    const data = call.output.parse(await handle(identifyKey(request), readInput(call, request)))
    return { error: false, msg: call.done, data }
  })
}

/** Serves a stream of events with an API key, until either side closes it. */
export function streamRoute(
  http: Http,
  call: Call<z.ZodType, z.ZodType, "key">,
  handle: (caller: KeyCaller, open: () => EventStream) => Promise<void>,
): void {
  // No HEAD: the answer would never end.
  http.app.get(fastifyPath(call.path), { exposeHeadRoute: false }, async (request, reply) => {
    http.limit(keyReader(request))
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

/** By which the caller's requests and bytes are counted. */
function shareOf(visitor: Visitor): string {
  return visitor.kind === "guest" ? visitor.address : `user ${visitor.userId}`
}

function answering(http: Http, caller: Visitor, reply: FastifyReply): Answering {
  return {
    async holdBytes(bytes) {
      const giveBack = await http.unsentBytes.take(shareOf(caller), bytes)
      if (reply.raw.closed) giveBack()
      else reply.raw.once("close", giveBack)
    },
    beginSession: (token) => http.cookies.beginSession(reply, token),
    endSession: () => http.cookies.endSession(reply),
    rememberDevice: (token) => http.cookies.rememberDevice(reply, token),
  }
}

/** By address, because wrong keys cost the most. Answers from memory are not limited. */
function keyReader(request: FastifyRequest): string {
  return `keys ${addressBlock(request.ip)}`
}

function fastifyPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
}
