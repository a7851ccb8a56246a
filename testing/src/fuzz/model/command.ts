import { type Call, type Conflict, Conflicts } from "@envkeep/contract"
import fc, { type Arbitrary } from "fast-check"
import { expect } from "vitest"
import { envelopeOf, type HttpClient, type HttpResponse } from "../http-client.ts"
import type { Account, Browser, Model } from "./model.ts"
import { type CallInput, type DrawnFields, requestsOf } from "./request.ts"
import type { Fault } from "./text-rules.ts"
import { anything, whenChanged, whenUsed } from "./views.ts"

/** One call to the server, and the same change to the model. */
export interface Command {
  text: string
  run(model: Model, http: HttpClient): Promise<void>
}

/** Random commands that make one call of the contract. */
export interface CallCommands {
  weight: number
  commands: Arbitrary<Command>
}

/** What a call depends on: the model, the browser it is made from, and the account that is signed in there. */
export interface CallContext {
  model: Model
  browser: Browser
  account: Account | undefined
}
export type SignedInContext = CallContext & { account: Account }

/** What the model expects: a refusal with one of these messages, or a success. */
export type Expected =
  | {
      refused: number
      messages: Fault[]
      /** What changed after the revision that was sent, without what was deleted. */
      conflicts?: Pick<Conflict, "id" | "name" | "revision">[]
      /** What inherits from the environment, and so stands in the way. */
      heirs?: { id: number; name: string }[]
    }
  | {
      /** Learns new ids from the answer, changes the model, and returns what the answer must contain. */
      data(data: unknown, received: HttpResponse): unknown
      /** Reads more, if the answer alone does not show everything. */
      after?(read: (path: string) => Promise<unknown>): Promise<void>
    }

export const refused = (status: number, ...messages: Fault[]): Expected => ({ refused: status, messages })
export const conflicting = (sentence: string, conflicts: Pick<Conflict, "id" | "name" | "revision">[]): Expected => ({
  refused: 409,
  messages: [sentence],
  conflicts: conflicts.map(({ id, name, revision }) => ({ id, name, revision })),
})
export const notFound = (what: string) => refused(404, `${what} not found`)
/** Expects a refusal if the input has faults. */
export const unless = (faults: Fault[], expected: () => Expected): Expected =>
  faults.length > 0 ? refused(400, ...faults) : expected()

interface CallRules<Drawn, Context extends CallContext> {
  weight?: number
  /** The input fields of the call, by their names in the contract, and `at`: which thing the call is about. */
  draw?: Arbitrary<Drawn>
  /** If the request is not simply what was drawn. */
  request?(context: CallContext, drawn: Drawn): CallInput
  /** False if the call is to be skipped, for example because it would meet the limits on guessing. */
  applies?(context: CallContext, drawn: Drawn): boolean
  expected(context: Context, drawn: Drawn, input: CallInput): Expected
}

type ContextOf<C extends Call> = C["access"] extends "anyone" ? CallContext : SignedInContext

/** Which browser makes the call. Resolved when the call is made. A signed-out browser sends the cookie of an ended session. */
interface BrowserChoice {
  as: "a signed-in" | "any" | "a signed-out"
  index: number
}

const browserChoice: Arbitrary<BrowserChoice> = fc.record({
  as: fc.oneof(
    { weight: 12, arbitrary: fc.constant("a signed-in" as const) },
    { weight: 2, arbitrary: fc.constant("any" as const) },
    { weight: 1, arbitrary: fc.constant("a signed-out" as const) },
  ),
  index: fc.nat(20),
})

/** A call made from a browser: by the user who is signed in there, or with the cookie of a session that has ended. */
export function commandsFor<C extends Call, Drawn>(call: C, rules: CallRules<Drawn, ContextOf<C>>): CallCommands {
  const usual = requestsOf(call)
  const drawnFields = rules.draw ?? (usual.usualDraw as Arbitrary<Drawn>)
  const commands = fc.tuple(browserChoice, drawnFields).map(([choice, drawn]) => ({
    text: `${call.method} ${call.path} from ${choice.as} browser ${choice.index} ${fc.stringify(drawn)}`,
    async run(model: Model, http: HttpClient) {
      const context = contextOf(model, choice)
      if (rules.applies?.(context, drawn) === false) return
      const input = rules.request?.(context, drawn) ?? usual.request(context, drawn as DrawnFields)
      const expected = accessRefusal(call, context) ?? rules.expected(context as ContextOf<C>, drawn, input)
      const send = (method: string, path: string, body?: unknown) =>
        http.send({
          method,
          path: `/api${path}`,
          headers: {
            ...(context.browser.token === undefined ? {} : { cookie: `envkeep_session=${context.browser.token}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      const { id, revision } = input
      const inPath: Record<string, unknown> = { id, revision, ...input.ids }
      const path = call.path.replaceAll(/\{(\w+)\}/g, (_, field) => String(inPath[field])) + (input.query ?? "")
      const received = await send(call.method, path, input.body)
      expectResponse(call, expected, received)
      if ("after" in expected) await expected.after?.(async (path) => envelopeOf(await send("GET", path))?.data)
    },
  }))
  return { weight: rules.weight ?? 4, commands }
}

function contextOf(model: Model, { as, index }: BrowserChoice): CallContext {
  if (as === "a signed-out" && model.endedSessions.length > 0) {
    const token = model.endedSessions[index % model.endedSessions.length]
    return { model, browser: { token }, account: undefined }
  }
  const signedIn = model.browsers.filter(({ token }) => model.sessions.has(token ?? ""))
  const list = as === "a signed-in" && signedIn.length > 0 ? signedIn : model.browsers
  const browser = list[index % list.length] as Browser
  const id = model.sessions.get(browser.token ?? "")
  return { model, browser, account: id === undefined ? undefined : model.accounts.get(id) }
}

function accessRefusal({ access }: Call, { account }: CallContext): Expected | undefined {
  if (access === "anyone") return undefined
  if (account === undefined) return refused(401, "Please log in first")
  return access === "admin" && !account.isAdmin ? refused(403, "Only administrators may do this") : undefined
}

/** The status, the sentence and the data are exactly what the model expects. */
export function expectResponse(call: Call, expected: Expected, received: HttpResponse): void {
  const envelope = envelopeOf(received)
  const actual = { status: received.status, ...(envelope ?? { text: received.text.slice(0, 300) }) }
  if ("refused" in expected) {
    const others = expected.heirs === undefined ? null : { heirs: expected.heirs }
    const data = expected.conflicts === undefined ? others : expect.anything()
    expect(actual).toEqual({ status: expected.refused, error: true, msg: expect.any(String), data })
    if (expected.conflicts !== undefined) expectConflicts(expected.conflicts, envelope?.data)
    const isExpected = expected.messages.some((one) =>
      typeof one === "string" ? envelope?.msg === one : one.test(String(envelope?.msg)),
    )
    if (!isExpected) throw new Error(`the message is "${envelope?.msg}", not one of ${expected.messages.join(" | ")}`)
    return
  }
  if (call.plain) {
    expect(received.status).toBe(200)
    expected.data(undefined, received)
    return
  }
  expect(actual).toEqual({ status: call.status ?? 200, error: false, msg: call.done, data: envelope?.data })
  expectSame(envelope?.data, expected.data(envelope?.data, received))
}

function expectConflicts(expected: Pick<Conflict, "id" | "name" | "revision">[], data: unknown): void {
  const byId = (one: { id: number | null }, other: { id: number | null }) => Number(one.id) - Number(other.id)
  const { conflicts } = Conflicts.parse(data)
  const left = conflicts.filter(({ isDeleted }) => !isDeleted)
  expect(left.toSorted(byId)).toEqual(
    expected
      .toSorted(byId)
      .map((one) => ({ ...one, by: expect.any(String), at: expect.any(String), isDeleted: false })),
  )
}

/** Exactly equal, except for the time of a key's last use, which may not be stored yet. */
export function expectSame(actual: unknown, expected: unknown): void {
  expect(withTimes(actual, expected)).toStrictEqual(expected)
}

function withTimes(actual: unknown, expected: unknown): unknown {
  if (expected === anything) return anything
  if (expected === whenUsed) return actual === null || isTime(actual) ? whenUsed : actual
  if (expected === whenChanged) return isTime(actual) ? whenChanged : actual
  if (typeof actual !== "object" || actual === null || typeof expected !== "object" || expected === null) return actual
  if (Array.isArray(actual)) return actual.map((one, index) => withTimes(one, (expected as unknown[])[index]))
  return Object.fromEntries(
    Object.entries(actual).map(([field, one]) => [field, withTimes(one, (expected as Record<string, unknown>)[field])]),
  )
}

function isTime(actual: unknown): boolean {
  return !Number.isNaN(Date.parse(String(actual)))
}
