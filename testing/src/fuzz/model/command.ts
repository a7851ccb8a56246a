import { type Call, type Conflict, Conflicts, type InputOf, type OutputOf } from "@envkeep/contract"
import fc, { type Arbitrary } from "fast-check"
import { expect } from "vitest"
import { callAs, dataFor, envelopeOf, type HttpClient, type HttpResponse } from "../http-client.ts"
import type { CallContext, Field, RequestContext } from "./field.ts"
import type { Account, Browser, Model } from "./model.ts"
import { drawnFor, requestOf } from "./request.ts"
import { type SubjectKind, type Subjects, subjects } from "./subjects.ts"
import type { Fault } from "./text-rules.ts"

/** One call to the server, and the same change to the model. */
interface Command {
  text: string
  run(model: Model, http: HttpClient): Promise<void>
}

/** Random commands that make one call of the contract. */
export interface CallCommands {
  weight: number
  commands: Arbitrary<Command>
}

/** A refusal with one of these messages. */
export interface Refusal {
  refused: number
  messages: Fault[]
  /** What changed after the revision that was sent, without what was deleted. */
  conflicts?: Changed[]
  /** What inherits from the environment, and so stands in the way. */
  heirs?: { id: number; name: string }[]
}
type Changed = Pick<Conflict, "id" | "name" | "revision">

/** What the model expects. */
export type Expected =
  | Refusal
  | {
      /** Learns new ids from the answer, changes the model, and returns what the answer must contain. */
      data(data: unknown, received: HttpResponse): unknown
    }

export const refused = (status: number, ...messages: Fault[]): Refusal => ({ refused: status, messages })
export const conflicting = (sentence: string, conflicts: Changed[]): Refusal => ({
  ...refused(409, sentence),
  conflicts: conflicts.map(({ id, name, revision }) => ({ id, name, revision })),
})
export const notFound = (what: string) => refused(404, `${what} not found`)

type Read = <Data>(path: string) => Promise<Data>

/** What a command says of its call, beside what it is about. */
interface Rules<C extends Call, Subject> {
  weight?: number
  /** Input fields that cannot be drawn from the contract's schema. */
  fields?: { [Name in keyof InputOf<C>]?: Field | Arbitrary<unknown> }
  /** The sentence about a name that is blank. */
  blank?: string
  /** Why the input is refused, beside the faults of its fields. */
  faults?(input: InputOf<C>): Fault[]
  /** False if the call is to be skipped, for example because it would meet the limits on guessing. */
  applies?(context: RequestContext<InputOf<C>>): boolean
  refusal?(context: ContextOf<C> & Subject): Refusal | false | undefined
  /** Of a success: learns new ids from the answer, changes the model, and returns what the answer must contain. */
  data?(context: ContextOf<C> & Subject, data: OutputOf<C>, received: HttpResponse): unknown
  /** Reads more, if the answer alone does not show everything. */
  after?(context: ContextOf<C> & Subject, read: Read, data: OutputOf<C>): Promise<void>
}

type ContextOf<C extends Call> = CallContext & { input: InputOf<C> } & (C["access"] extends "anyone"
    ? unknown
    : { account: Account })

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
export function commandsFor<C extends Call>(call: C, rules: Rules<C, unknown> = {}): CallCommands {
  return commandsOf(call, undefined, rules)
}

/** The same about something of the caller's. For others it does not exist. */
export function commandsAbout<Kind extends SubjectKind, C extends Call>(
  kind: Kind,
  call: C,
  rules: Rules<C, Subjects[Kind]> = {},
): CallCommands {
  return commandsOf(call, kind, rules)
}

/** The answer is tested elsewhere. */
export const anyData = <Data>(_: unknown, data: Data): Data => data

/** Calls that are all refused in the same way. */
export const refusedCalls = (refusal: Refusal) => (call: Call) =>
  commandsFor(call, { weight: 1, refusal: () => refusal })

function commandsOf<C extends Call, Subject>(
  call: C,
  about: SubjectKind | undefined,
  rules: Rules<C, Subject>,
): CallCommands {
  const given = Object.entries<Field | Arbitrary<unknown> | undefined>(rules.fields ?? {})
  const fields = given.map(([name, one]) => [name, one instanceof fc.Arbitrary ? { draw: one } : one])
  const { draw, resolved, faultsOf } = drawnFor(call, about, Object.fromEntries(fields))
  const commands = fc.tuple(browserChoice, draw).map(([choice, drawn]) => ({
    text: `${call.method} ${call.path} from ${choice.as} browser ${choice.index} ${fc.stringify(drawn)}`,
    async run(model: Model, http: HttpClient) {
      const { context, isFound } = resolved(contextOf(model, choice), drawn)
      if (rules.applies?.(context as RequestContext<InputOf<C>>) === false) return
      // What a call is about is chosen at run time, by its kind, so the compiler cannot follow it.
      const known = context as unknown as ContextOf<C> & Subject
      const expected = accessRefusal(call, context) ?? refusalOf(known, context.input, isFound) ?? success(known)
      const { path, body } = requestOf(call, context.input)
      const { token } = context.browser
      const received = await callAs(http, token, `${call.method} ${path}`, body)
      expectResponse(call, expected, received)
      if (!("data" in expected)) return
      const read: Read = (path) => dataFor(http, token, `GET ${path}`)
      await rules.after?.(known, read, envelopeOf(received)?.data as OutputOf<C>)
    },
  }))
  return { weight: rules.weight ?? 4, commands }

  function refusalOf(
    known: ContextOf<C> & Subject,
    input: Record<string, unknown>,
    isFound: boolean,
  ): Refusal | undefined {
    const faults = [
      ...faultsOf(input, rules.blank ?? "Name is required"),
      ...(rules.faults?.(input as InputOf<C>) ?? []),
    ]
    if (faults.length > 0) return refused(400, ...faults)
    if (about !== undefined && !isFound) return notFound(subjects[about].word)
    return rules.refusal?.(known) || undefined
  }

  /** Without a word from the command, the answer has no data. */
  function success(known: ContextOf<C> & Subject): Expected {
    return { data: (data, received) => rules.data?.(known, data as OutputOf<C>, received) ?? null }
  }
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

function accessRefusal({ access }: Call, { account }: CallContext): Refusal | undefined {
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

function expectConflicts(expected: Changed[], data: unknown): void {
  const byId = (one: Changed, other: Changed) =>
    Number(one.id) - Number(other.id) || Number(one.name > other.name) - Number(one.name < other.name)
  const { conflicts } = Conflicts.parse(data)
  const left = conflicts.filter(({ isDeleted }) => !isDeleted)
  expect(left.toSorted(byId)).toEqual(
    expected
      .toSorted(byId)
      .map((one) => ({ ...one, by: expect.any(String), at: expect.any(String), isDeleted: false })),
  )
}

/** Exactly equal, except for what `views.ts` leaves open. */
export function expectSame(actual: unknown, expected: unknown): void {
  expect(actual).toStrictEqual(expected)
}
