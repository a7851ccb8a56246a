import type { Call } from "@envkeep/contract"
import fc, { type Arbitrary } from "fast-check"
import { expect } from "vitest"
import { envelopeOf, type Received, type Wire } from "../wire.ts"
import type { Account, Browser, Model } from "./model.ts"
import type { Fault } from "./text-rules.ts"
import { whenUsed } from "./views.ts"

/** One thing done to the store and the model alike. */
export interface Turn {
  text: string
  run(model: Model, wire: Wire): Promise<void>
}

/** How the fuzzer makes one call of the contract. */
export interface Play {
  weight: number
  turns: Arbitrary<Turn>
}

/** Where a call is made from. */
export interface Place {
  model: Model
  browser: Browser
  account: Account | undefined
}
export type SignedIn = Place & { account: Account }

export interface Message {
  id?: number
  body?: unknown
  query?: string
}

/** What the model says: a refusal, or what a success holds. Told only once the server has agreed, and then changed. */
export type Expected =
  | { refused: number; says: Fault[] }
  | {
      /** Gets the answer, from which ids are learnt, changes the model and says what the answer must be. */
      data(data: unknown, received: Received): unknown
      /** For what one answer does not tell: another look. */
      after?(look: (path: string) => Promise<unknown>): Promise<void>
    }

export const refused = (status: number, ...says: Fault[]): Expected => ({ refused: status, says })
export const notFound = (what: string) => refused(404, `${what} not found`)
/** Refuses input with faults; otherwise goes on. */
export const unless = (faults: Fault[], expected: () => Expected): Expected =>
  faults.length > 0 ? refused(400, ...faults) : expected()

interface Rules<Drawn, At extends Place> {
  weight?: number
  draw: Arbitrary<Drawn>
  message?(place: Place, drawn: Drawn): Message
  /** False when the call would be about something else, such as the limits on guessing. */
  applies?(place: Place, drawn: Drawn): boolean
  expected(place: At, drawn: Drawn, message: Message): Expected
}

type PlaceOf<C extends Call> = C["access"] extends "anyone" ? Place : SignedIn

/** Which browser is meant: resolved when the call is made. A signed-out one still sends the cookie of its ended session. */
interface Origin {
  as: "a signed-in" | "any" | "a signed-out"
  index: number
}

const from: Arbitrary<Origin> = fc.record({
  as: fc.oneof(
    { weight: 12, arbitrary: fc.constant("a signed-in" as const) },
    { weight: 2, arbitrary: fc.constant("any" as const) },
    { weight: 1, arbitrary: fc.constant("a signed-out" as const) },
  ),
  index: fc.nat(20),
})

/** A call made from a browser: by whoever is signed in there, or with the cookie of a session that has ended. */
export function play<C extends Call, Drawn>(call: C, rules: Rules<Drawn, PlaceOf<C>>): Play {
  const turns = fc.tuple(from, rules.draw).map(([origin, drawn]) => ({
    text: `${call.method} ${call.path} from ${origin.as} browser ${origin.index} ${fc.stringify(drawn)}`,
    async run(model: Model, wire: Wire) {
      const place = placeOf(model, origin)
      if (rules.applies?.(place, drawn) === false) return
      const message = rules.message?.(place, drawn) ?? {}
      const expected = admitted(call, place) ?? rules.expected(place as PlaceOf<C>, drawn, message)
      const ask = (method: string, path: string, body?: unknown) =>
        wire.send({
          method,
          path: `/api${path}`,
          headers: {
            ...(place.browser.token === undefined ? {} : { cookie: `envkeep_session=${place.browser.token}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        })
      const path = call.path.replace("{id}", String(message.id)) + (message.query ?? "")
      const received = await ask(call.method, path, message.body)
      agree(call, expected, received)
      if ("after" in expected) await expected.after?.(async (path) => envelopeOf(await ask("GET", path))?.data)
    },
  }))
  return { weight: rules.weight ?? 4, turns }
}

function placeOf(model: Model, { as, index }: Origin): Place {
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

function admitted({ access }: Call, { account }: Place): Expected | undefined {
  if (access === "anyone") return undefined
  if (account === undefined) return refused(401, "Please log in first")
  return access === "admin" && !account.isAdmin ? refused(403, "Only administrators may do this") : undefined
}

/** The status, the sentence and the data are what the model says; nothing else is in the answer. */
export function agree(call: Call, expected: Expected, received: Received): void {
  const envelope = envelopeOf(received)
  const told = { status: received.status, ...(envelope ?? { text: received.text.slice(0, 300) }) }
  if ("refused" in expected) {
    expect(told).toEqual({ status: expected.refused, error: true, msg: expect.any(String), data: null })
    const isSaid = expected.says.some((one) =>
      typeof one === "string" ? envelope?.msg === one : one.test(String(envelope?.msg)),
    )
    if (!isSaid) throw new Error(`said "${envelope?.msg}", expected one of ${expected.says.join(" | ")}`)
    return
  }
  expect(told).toEqual({ status: call.status ?? 200, error: false, msg: call.done, data: envelope?.data })
  expectSame(envelope?.data, expected.data(envelope?.data, received))
}

/** Exactly alike, but for the time a used key was last read with, which may not be written down yet. */
export function expectSame(actual: unknown, expected: unknown): void {
  expect(withTimes(actual, expected)).toStrictEqual(expected)
}

function withTimes(actual: unknown, expected: unknown): unknown {
  if (expected === whenUsed) return actual === null || !Number.isNaN(Date.parse(String(actual))) ? whenUsed : actual
  if (typeof actual !== "object" || actual === null || typeof expected !== "object" || expected === null) return actual
  if (Array.isArray(actual)) return actual.map((one, index) => withTimes(one, (expected as unknown[])[index]))
  return Object.fromEntries(
    Object.entries(actual).map(([field, one]) => [field, withTimes(one, (expected as Record<string, unknown>)[field])]),
  )
}
