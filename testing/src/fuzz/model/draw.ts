import fc, { type Arbitrary } from "fast-check"
import { field, type RequestContext } from "./field.ts"
import { type Account, idsOf, type Kind, type Model } from "./model.ts"
import {
  descriptionFaults,
  emailFaults,
  type Fault,
  itemNameFaults,
  nameFaults,
  newPasswordFaults,
  searchFaults,
  tokenFaults,
  usernameFaults,
  valueFaults,
} from "./text-rules.ts"

// Random text that is likely to break something. Names come mostly from a short list, so that they repeat.

const prototypeNames = ["__proto__", "constructor", "toString", "hasOwnProperty", "prototype", "valueOf", "length"]
const oddNames = [
  "null",
  "1",
  "01",
  "é",
  "e\u0301",
  "🚀",
  "ﬀ",
  "İ",
  "a b",
  "'; drop table item; --",
  "%41",
  "$x",
  "$1",
  "\\",
]
const paddedNames = [" A", "A\t", "\u00a0A", "A\ufeff", "\nA\n"]
const badNames = ["", " ", "\u3000\t\r\n", "a\0", "\0", "a\ud800", "\udc00b"]
const itemBreakers = ["A=1", "=", "A\nB", "A\rB", "A\u2028B"]

const nearLimit = (max: number) =>
  fc
    .record({ unit: fc.constantFrom("x", "é", "🚀"), off: fc.constantFrom(-1, 0, 1), padded: fc.boolean() })
    .map(({ unit, off, padded }) => (padded ? ` ${unit.repeat(max + off)} ` : unit.repeat(max + off)))

const anyText = fc.string({ unit: "binary", maxLength: 12 })

const goodNames = (common: string[]) =>
  fc.oneof(
    { weight: 10, arbitrary: fc.constantFrom(...common) },
    { weight: 4, arbitrary: fc.constantFrom(...prototypeNames, ...oddNames, ...paddedNames) },
  )

const names = (common: string[], max: number, ...more: string[]) =>
  fc.oneof(
    { weight: 14, arbitrary: goodNames(common) },
    { weight: 2, arbitrary: anyText },
    { weight: 1, arbitrary: fc.constantFrom(...badNames, ...more) },
    { weight: 1, arbitrary: nearLimit(max) },
  )

const name = field({ draw: names(["app", "App", "staging", "production"], 100), faults: nameFaults })
const commonItemNames = ["A", "B", "C", "a", "PATH"]
export const itemName = field({ draw: names(commonItemNames, 256, ...itemBreakers), faults: itemNameFaults })
const username = field({ draw: names(["ann", "bob"], 64), faults: usernameFaults })

const descriptions = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("", "about", " kept as it is \n", "__proto__") },
  { weight: 2, arbitrary: anyText },
  { weight: 1, arbitrary: nearLimit(1_000) },
  { weight: 1, arbitrary: fc.constantFrom("a\0", "\ud83d") },
)
export const description = field({ draw: descriptions, faults: descriptionFaults })

const goodValue = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("1", "2", "a=b", " padded ", "line\nbreak", "x\r", "#x", '"', "'`\"", "", " "),
  },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replaceAll("\0", "")) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("\u2028", "\ufeffx", "$(id)", "\\n", "é", "e\u0301", "__proto__", "\u0001\u007f"),
  },
)

const longValue = fc
  .tuple(fc.constantFrom(65_535, 65_536, 65_537), fc.constantFrom("x", "é"))
  .map(([bytes, unit]) => filled(unit, bytes))

const values = fc.oneof(
  { weight: 18, arbitrary: goodValue },
  { weight: 1, arbitrary: fc.constantFrom("\0", "\ud800", "x\udfff") },
  { weight: 1, arbitrary: longValue },
)
export const value = field({ draw: values, faults: valueFaults })

/** A line of a bulk save: one bad line refuses the whole list, so most are good. */
export const line = fc.oneof(
  { weight: 30, arbitrary: fc.record({ name: goodNames([...commonItemNames, "", " "]), value: goodValue }) },
  { weight: 1, arbitrary: fc.record({ name: itemName.draw, value: value.draw }) },
)

function filled(unit: string, bytes: number): string {
  const whole = unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)))
  return whole + "x".repeat(bytes - Buffer.byteLength(whole))
}

const emails = [
  ["ann@example.com", 6],
  ["ANN@Example.com", 5],
  [" Bob@example.com ", 4],
  ["carl@example.com", 3],
  ["é@example.com", 1],
  ["É@example.com", 1],
  ["e\u0301@example.com", 1],
  [`${"x".repeat(230)}@example.com`, 1],
  [`${"x".repeat(260)}@example.com`, 1],
  ["no-at-sign", 1],
  ["two words@example.com", 1],
  ["in\u200bvisible@example.com", 1],
  ["nul\0@example.com", 1],
] as const

/** With the model's prefix. */
export const email = field({
  draw: fc.oneof(...emails.map(([text, weight]) => ({ weight, arbitrary: fc.constant<string>(text) })), {
    weight: 1,
    arbitrary: fc.constant(""),
  }),
  sent: ({ model }, text) => (text.includes("@") ? text.replace(/\S/, `${model.emailPrefix}$&`) : text),
  faults: emailFaults,
})

const goodPasswords = ["correct horse battery staple", " 8 chars", "🚀".repeat(8), "x".repeat(256)]
export const passwords = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...goodPasswords) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("", "1234567", "🚀".repeat(7), "x".repeat(257), "12345678\0", "12345678\ud800"),
  },
)

export const newPassword = field({ draw: passwords, faults: newPasswordFaults })
const guessedToken = field({ draw: passwords, faults: tokenFaults })
const wantedText = fc.oneof(itemName.draw, name.draw, fc.constantFrom("a", "A", "p", "_", "PRO", "é", "\n"))

/** The contract's fields of text that mean the same in all calls, unless a command says otherwise. */
export const fieldsByName: Record<string, object> = {
  name,
  description,
  example: description,
  value,
  username,
  email,
  token: guessedToken,
  secret: guessedToken,
  text: field({ draw: wantedText, faults: searchFaults }),
  who: { draw: fc.constant("no such user") },
}

/** Which existing id to use. Resolved when the call is made, by the model as it is then. */
export interface Picked {
  whose: "own" | "others" | "deleted" | "unknown"
  index: number
}

export const picked: Arbitrary<Picked> = fc.record({
  whose: fc.oneof(
    { weight: 14, arbitrary: fc.constant("own" as const) },
    { weight: 2, arbitrary: fc.constant("others" as const) },
    { weight: 1, arbitrary: fc.constant("deleted" as const) },
    { weight: 1, arbitrary: fc.constant("unknown" as const) },
  ),
  index: fc.nat(30),
})

export const unknownId = 987_654_321
const unknownIds = [unknownId, Number.MAX_SAFE_INTEGER]

export function resolve(model: Model, account: Account | undefined, kind: Kind, { whose, index }: Picked): number {
  const lists = {
    own: () => (account === undefined ? [] : idsOf(account, kind)),
    others: () =>
      [...model.accounts.values()]
        .filter((one) => one !== account)
        .flatMap((one) => idsOf(one, kind))
        .concat(model.othersIds(kind)),
    deleted: () =>
      [...model.assignedIds[kind]].filter(
        (id) => ![...model.accounts.values()].some((one) => idsOf(one, kind).includes(id)),
      ),
    unknown: () => unknownIds,
  }
  const wanted = lists[whose]()
  const list = wanted.length > 0 ? wanted : unknownIds
  return list[index % list.length] as number
}

/** The id of one of the model's things. */
export const idOf = (kind: Kind) =>
  field({ draw: picked, sent: ({ model, account }, at) => resolve(model, account, kind, at) })

const badRevision = "A revision must be a whole number from 1 to 9007199254740991"
export const revisionFaults = (revision: number): Fault[] => (revision < 1 ? [badRevision] : [])

export const revisionAgo = ({ environment }: RequestContext, ago: number) => (environment?.revision ?? 1) - ago

/** One of the environment's revisions, or one that is still to come. */
export const pastRevision = field({
  draw: fc.integer({ min: -1, max: 8 }),
  sent: revisionAgo,
  faults: revisionFaults,
})

/** The revision at which the caller has read the environment; usually not sent. */
export const seenRevision = field({
  draw: fc.option(fc.nat(3), { freq: 3 }),
  sent: (context, ago) => (ago === null ? undefined : Math.max(1, revisionAgo(context, ago))),
})
