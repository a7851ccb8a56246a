import { Readable } from "node:stream"
import {
  type Access,
  type Call,
  type Envelope,
  type Level,
  limits,
  pathFields,
  scopeOf,
  scopes,
  sentences,
  type TeamLevel,
} from "@envkeep/contract"
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify"
import type { z } from "zod"
import type { KeyCaller, Member, TeamCaller, UserCaller, Visitor } from "../access/caller.ts"
import type { Site } from "../access/site.ts"
import { ownTurn } from "../bounds/turns.ts"
import { AppError } from "../errors.ts"
import { hashToken } from "../keys/token.ts"
import { addressBlock } from "./address.ts"
import { type Answering, answering, shareOf, siteOf } from "./answering.ts"
import { keyCaller, personalTokenIn } from "./bearer.ts"
import { clientOf } from "./client.ts"
import type { Cookies } from "./cookies.ts"
import { type EventStream, eventStream } from "./event-stream.ts"
import { inputReader, readInput } from "./input.ts"
import { type Gradual, mayBeLong, sendLongJson, sendLongText } from "./json-answer.ts"
import type { RequestLimit } from "./limits.ts"
import { refuseOtherOrigins } from "./origin.ts"
import { type HttpShares, holdAnswer, holdBody, inTurn, type Turn, turnOf } from "./shares.ts"
import { inPieces, isSentInPieces, type TextAnswer, type TextRequest } from "./text-answer.ts"

/** What every route needs from the server. */
export interface Http {
  app: FastifyInstance
  cookies: Cookies
  /** The user of a session token, or undefined if the session has ended. */
  identify(token: string): Promise<Identified | undefined>
  /** The user of a personal token, or undefined if it is unknown, revoked or expired. */
  identifyByToken(token: string, used: TokenUse): Promise<Identified | undefined>
  /** Throws unless the session was confirmed in the last minutes, and says how that can be done at this site. */
  refuseUnconfirmed(caller: UserCaller, site: Site): Promise<void>
  limit: RequestLimit
  shares: HttpShares
  /** The origin that browsers see, if it is configured. */
  publicOrigin: string | undefined
}

export type Identified = Omit<UserCaller, "kind" | "address" | "device" | "client">

/** Where a token is used, and by which program. */
export type TokenUse = Pick<UserCaller, "address" | "client">

/** What the contract declares decides which caller a rule gets: a member needs a level, a user needs a session. */
type CallerOf<Who extends Access, At, In = undefined> = Who extends "user" | "admin"
  ? At extends Level
    ? Member
    : In extends TeamLevel
      ? TeamCaller
      : UserCaller
  : Visitor

/**
 * Serves one call of the contract: does everything that all calls have in common, and `handle` does the rest. If that may
 * load much, `bytesOf` says how much at most, and it waits until there is room.
 */
export function route<
  Input extends z.ZodType,
  Output extends z.ZodType,
  Who extends "anyone" | "user" | "admin",
  At extends Level | undefined,
  In extends TeamLevel | undefined,
>(
  http: Http,
  call: Call<Input, Output, Who, At, In>,
  handle: (
    caller: CallerOf<Who, At, In>,
    input: z.output<Input>,
    answering: Answering,
  ) => Promise<Gradual<z.output<Output>>>,
  bytesOf?: (caller: CallerOf<Who, At, In>, input: z.output<Input>) => Promise<number>,
): void {
  const callers = new WeakMap<FastifyRequest, Visitor | Member | TeamCaller>()
  /** Give back what the request's body has taken. */
  const bodies = new WeakMap<FastifyRequest, () => void>()
  const isLong = mayBeLong(call.output)
  const readAll = inputReader(call)

  http.app.route({
    method: call.method,
    url: fastifyPath(call.path),
    ...(call.bodyBytes === undefined ? {} : { bodyLimit: call.bodyBytes }),
    ...(call.bodyParts === undefined ? {} : { config: { bodyParts: call.bodyParts } }),
    // Before the body is read: a guest must not learn which inputs a protected call accepts.
    async onRequest(request, reply) {
      const caller = await admitCaller(http, call, request, reply)
      callers.set(request, caller)
      const amount = bodyBytesToHold(call, request)
      if (amount === 0) return
      bodies.set(request, await holdBody(http.shares, { caller: shareOf(caller), amount, request, reply }))
    },
    // As soon as the body is no longer needed: the answer may have to wait for a slow reader.
    async onSend(request) {
      bodies.get(request)?.()
    },
    async handler(request, reply): Promise<Envelope | FastifyReply> {
      const caller = callers.get(request) as CallerOf<Who, At, In>
      const input = await readAll(request)
      const shares = caller.kind === "guest" ? http.shares.guestCalls : http.shares.userCalls
      const turn = turnOf(shares, { caller: shareOf(caller), reply })
      const room = roomFor(http, { caller, turn, reply })
      const data = await inTurn(turn, async () => {
        if (bytesOf !== undefined) await room.take(await bytesOf(caller, input))
        return handle(caller, input, answering(http, { request, reply }))
      })
      reply.status(call.status ?? 200)
      if (isLong) return sendLongJson(reply, { msg: call.done, schema: call.output, data, loadStep: room.loadStep })
      return { error: false, msg: call.done, data: call.output.parse(data) }
    },
  })
}

/** The memory that a call's answer takes. It is held once, until the answer is sent or its reader is gone. */
function roomFor(http: Http, { caller, turn, reply }: { caller: Visitor; turn: Turn; reply: FastifyReply }) {
  let isHeld = false

  async function hold(amount: number): Promise<void> {
    if (isHeld) return
    isHeld = true
    await holdAnswer(http.shares, { caller: shareOf(caller), amount, reply })
  }

  return {
    /** A slow reader of earlier answers must not keep the places of others while it waits for itself. */
    async take(amount: number): Promise<void> {
      turn.end()
      await hold(amount)
      await turn.begin()
    },
    async loadStep(amount: number, load: () => Promise<void>): Promise<void> {
      await hold(amount)
      await inTurn(turn, load)
    },
  }
}

/** Serves a call of a user whose answer is lines of JSON, made while the reader takes them. */
export function linesRoute<Input extends z.ZodType, Who extends "user" | "admin", At extends Level | undefined>(
  http: Http,
  call: Call<Input, z.ZodType, Who, At>,
  handle: (caller: CallerOf<Who, At>, input: z.output<Input>) => Promise<AsyncIterable<string>>,
): void {
  // No HEAD: to answer it, all lines would be made.
  http.app.get(fastifyPath(call.path), { exposeHeadRoute: false }, async (request, reply) => {
    const caller = (await admitCaller(http, call, request, reply)) as CallerOf<Who, At>
    const input = readInput(call, request)
    await holdAnswer(http.shares, { caller: shareOf(caller), amount: heldLinesBytes, reply })
    const turn = turnOf(http.shares.userCalls, { caller: shareOf(caller), reply })
    const lines = await inTurn(turn, () => handle(caller, input))
    const name = pathFields(call.path).length > 0 ? "collection-activity" : "activity"
    reply.type("application/x-ndjson; charset=utf-8")
    reply.header("content-disposition", `attachment; filename="${name}.jsonl"`)
    return reply.send(Readable.from(lines, { objectMode: false, highWaterMark: 64 * 1024 }))
  })
}

/** Serves a call of a user whose answer has one text that may be long, made while the reader takes it. */
export function longTextRoute<Input extends z.ZodType, Who extends "user" | "admin", At extends Level | undefined>(
  http: Http,
  call: Call<Input, z.ZodObject<{ text: z.ZodString }>, Who, At>,
  handle: (caller: CallerOf<Who, At>, input: z.output<Input>) => Promise<Iterable<string>>,
  bytesOf: (caller: CallerOf<Who, At>, input: z.output<Input>) => Promise<number>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply) => {
    const caller = (await admitCaller(http, call, request, reply)) as CallerOf<Who, At>
    const input = readInput(call, request)
    const turn = turnOf(http.shares.userCalls, { caller: shareOf(caller), reply })
    const room = roomFor(http, { caller, turn, reply })
    const text = await inTurn(turn, async () => {
      await room.take(await bytesOf(caller, input))
      return handle(caller, input)
    })
    return sendLongText(reply, { msg: call.done, text })
  })
}

/** What an answer in lines takes in memory at most. Held, so that a caller cannot begin any number of them. */
const heldLinesBytes = 1024 * 1024

/** Identifies the caller, counts the request, and refuses those who may not make the call. */
async function admitCaller(
  http: Http,
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Visitor | Member | TeamCaller> {
  const token = takesTokens(call) ? personalTokenIn(request.headers) : undefined
  // Another site can make a browser send its cookies, but not a token.
  if (call.method !== "GET" && token === undefined) refuseOtherOrigins(request, http.publicOrigin)
  const visitor = await identifyVisitor(http, { request, reply, token })
  if (token !== undefined) {
    http.limit(shareOf(visitor))
    admitToken(call, visitor)
    return withLevel(call, visitor)
  }
  // Removes the cookie of an ended session, but only on calls that guests may make: a late answer to a call of the
  // old session must not remove the cookie of a new one.
  if (call.access === "anyone" && visitor.kind === "guest" && http.cookies.readSession(request) !== undefined) {
    http.cookies.endSession(reply)
  }
  http.limit(shareOf(visitor))
  admit(call.access, visitor)
  if (visitor.kind === "user") await admitSession(http, call, { user: visitor, request })
  return withLevel(call, visitor)
}

/** What a session must have shown. A token was made in one that had, and its scope decides about the rest. */
async function admitSession(
  http: Http,
  call: Call,
  { user, request }: { user: UserCaller; request: FastifyRequest },
): Promise<void> {
  if (user.lacksFactor && call.access !== "anyone" && call.beforeFactor === undefined) {
    throw new AppError("forbidden", sentences.secondFactorRequired)
  }
  if (call.confirm) await http.refuseUnconfirmed(user, siteOf(http, request))
}

function withLevel({ level, team }: Call, visitor: Visitor): Visitor | Member | TeamCaller {
  if (team !== undefined) return { ...visitor, team } as TeamCaller
  return level === undefined ? visitor : ({ ...visitor, level } as Member)
}

/** Other calls do not see a token that is sent. */
function takesTokens({ access, token }: Call): boolean {
  return access === "user" || access === "admin" || token !== undefined
}

/** Serves a call with an API key whose answer is plain text. */
export function textRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>, asked: TextRequest) => Promise<TextAnswer>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply) => {
    const { caller, input, reader } = admitKey(http, call, request)
    const isHead = request.method === "HEAD"
    const { status, headers, body } = await handle(caller, input, {
      ifNoneMatch: request.headers["if-none-match"],
      isHead,
      response: reply.raw,
      lookUp: (work) => http.shares.keyLookups.use(reader, () => ownTurn().then(work)),
    })
    // The answer contains all of its headers.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name)
    for (let at = 0; at < headers.length; at += 2) reply.header(headers[at] ?? "", headers[at + 1])
    reply.status(status)
    // An empty stream, because Fastify would count the bytes of anything else and replace the length.
    if (isHead) return reply.send(Readable.from([]))
    if (status === 304) return reply.send()
    if (isSentInPieces(body)) return reply.send(inPieces(body))
    return reply.send(typeof body === "string" ? Buffer.from(body, "latin1") : body)
  })
}

/** Serves a call with an API key whose answer is in the envelope. */
export function keyRoute<Input extends z.ZodType, Output extends z.ZodType>(
  http: Http,
  call: Call<Input, Output, "key">,
  handle: (caller: KeyCaller, input: z.output<Input>) => Promise<z.output<Output>>,
): void {
  http.app.get(fastifyPath(call.path), async (request, reply): Promise<Envelope> => {
    const { caller, input, reader } = admitKey(http, call, request)
    const turn = turnOf(http.shares.keyLookups, { caller: reader, reply })
    const data = call.output.parse(await inTurn(turn, () => handle(caller, input)))
    return { error: false, msg: call.done, data }
  })
}

/** Serves a stream of events to a signed-in user, until either side closes it. */
export function memberStreamRoute<Input extends z.ZodType>(
  http: Http,
  call: Call<Input, z.ZodType, "user", Level>,
  handle: (caller: Member, input: z.output<Input>, open: () => EventStream) => Promise<void>,
): void {
  // No HEAD: the answer would never end.
  http.app.get(fastifyPath(call.path), { exposeHeadRoute: false }, async (request, reply) => {
    const caller = (await admitCaller(http, call, request, reply)) as Member
    const input = readInput(call, request)
    const turn = turnOf(http.shares.userCalls, { caller: shareOf(caller), reply })
    await inTurn(turn, () => handle(caller, input, () => eventStream(reply)))
    return reply
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
    const { caller, reader } = admitKey(http, call, request)
    const turn = turnOf(http.shares.keyLookups, { caller: reader, reply })
    await inTurn(turn, () => handle(caller, () => eventStream(reply)))
    return reply
  })
}

/** How much memory the body may take. Only long ones are worth counting. */
function bodyBytesToHold(call: Call, { headers }: FastifyRequest): number {
  const { bodyBytes = 0 } = call
  // A body without a length comes in chunks.
  const announced = Number(headers["content-length"] ?? bodyBytes)
  // A longer one is refused, and nothing of it is kept.
  return announced > limits.bodyBytes && announced <= bodyBytes ? announced : 0
}

/** If a personal token is sent, only that counts, and the cookie does not. */
export async function identifyVisitor(
  http: Http,
  { request, reply, token }: { request: FastifyRequest; reply: FastifyReply; token: string | undefined },
): Promise<Visitor> {
  const browser = {
    address: addressBlock(request.ip),
    device: http.cookies.readDevice(request),
    client: clientOf(request.headers["user-agent"]),
  }
  const secret = token ?? http.cookies.readSession(request)
  if (secret === undefined) return { kind: "guest", ...browser }
  // By session, not by address: colleagues behind one address must not wait for each other.
  const turn = turnOf(http.shares.sessionLookups, { caller: hashToken(secret), reply })
  const user = await inTurn(turn, () =>
    token === undefined ? http.identify(secret) : http.identifyByToken(token, browser),
  )
  return user === undefined ? { kind: "guest", ...browser } : { kind: "user", ...user, ...browser }
}

/** Whether the request has the cookie of a session that goes on. If that cannot be known now, it has not. */
export async function isSignedIn(http: Http, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  if (http.cookies.readSession(request) === undefined) return false
  const visitor = await identifyVisitor(http, { request, reply, token: undefined }).catch(() => undefined)
  return visitor?.kind === "user"
}

interface AdmittedKey<Input> {
  input: Input
  caller: KeyCaller
  /** As whom it takes its turn. */
  reader: string
}

/**
 * Counts the request and reads what every call with an API key needs. Whether the key is valid is for the rule: a refusal of
 * the input reveals only the names of the formats.
 */
function admitKey<Input extends z.ZodType>(
  http: Http,
  call: Call<Input, z.ZodType, "key">,
  request: FastifyRequest,
): AdmittedKey<z.output<Input>> {
  const reader = keyReader(request)
  http.limit(reader)
  return { input: readInput(call, request), caller: keyCaller(request.headers, request.ip), reader }
}

function admit(access: Access, visitor: Visitor): void {
  if (access === "anyone") return
  if (visitor.kind === "guest") throw new AppError("unauthenticated", sentences.signInFirst)
  if (access === "admin" && !visitor.isAdmin) throw new AppError("forbidden", sentences.adminsOnly)
}

/** A token must be valid, of a scope that is enough, and not limited to collections if the call is about none of them. */
function admitToken(call: Call, visitor: Visitor): void {
  if (visitor.kind === "guest" || visitor.token === undefined) throw new AppError("unauthenticated", sentences.badToken)
  const needed = scopeOf(call)
  if (needed === "never") throw new AppError("forbidden", sentences.notWithToken)
  admit(call.access, visitor)
  const { scope, isLimited } = visitor.token
  if (scopes.indexOf(scope) < scopes.indexOf(needed)) throw new AppError("forbidden", sentences.scopeTooSmall(needed))
  if (isLimited && call.level === undefined && call.access !== "anyone") {
    throw new AppError("forbidden", sentences.tokenLimited)
  }
}

/** By address, because wrong keys cost the most. Answers from memory are not limited. */
function keyReader(request: FastifyRequest): string {
  return `keys ${addressBlock(request.ip)}`
}

function fastifyPath(path: string): string {
  return `/api${path.replaceAll(/\{(\w+)\}/g, ":$1")}`
}
