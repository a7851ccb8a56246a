import { type ActivityEvent, activityKinds } from "@envkeep/contract"
import type { Action } from "@envkeep/server/access/actions.ts"
import { expect, test } from "vitest"
import { actorOf, dayOf, deedOf, deeds, kindOf } from "./words.ts"

const event = (given: Partial<ActivityEvent>): ActivityEvent => ({
  id: 1,
  at: "2026-01-02T03:04:05Z",
  action: "item.edit",
  actor: { kind: "user", id: 1, name: "ann" },
  account: { id: 1, name: "ann" },
  address: "192.0.2.0/24",
  client: "curl/8.5.0",
  collection: null,
  environment: null,
  key: null,
  team: null,
  source: null,
  role: null,
  token: null,
  webhookHost: null,
  names: [],
  nameCount: 0,
  counts: {},
  position: 1,
  ...given,
})

const named = (names: string[], nameCount = names.length) => deedOf(event({ names, nameCount }))

test("an event reads as a sentence, with a few of its names", () => {
  expect(named(["A"])).toBe("changed A")
  expect(named(["A", "B"])).toBe("changed A and B")
  expect(named(["A", "B", "C", "D"])).toBe("changed A, B, C and D")
  expect(named(["A", "B", "C", "D", "E"], 1_200)).toBe("changed A, B, C and 1,197 more")
  expect(named([], 3)).toBe("changed 3 items")
  expect(named(["$&"])).toBe("changed $&")
  expect(deedOf(event({ action: "session.refuse", counts: { refused: 12 } }))).toBe(
    "could not log in 12 more times within the hour",
  )
  const bob = { id: 2, name: "bob" }
  expect(deedOf(event({ action: "member.add", account: bob, role: "reader" }))).toBe("added bob as reader")
  expect(deedOf(event({ action: "member.change", account: bob, role: "editor" }))).toBe(
    "changed the role of bob to editor",
  )
  expect(deedOf(event({ action: "thing.made-up" }))).toBe("thing made up")
})

test("every action of the server has its words and can be filtered by its kind", () => {
  // The compiler names an action without words, and words without an action.
  const words: Record<Action, string> = deeds
  const actions: Action[] = Object.keys(words) as (keyof typeof deeds)[]
  const filtered = new Set<string>(Object.values(activityKinds).flat())
  expect(actions.filter((action) => !filtered.has(action.split(".")[0] ?? ""))).toEqual([])
})

test("who did it is a person, a key or the server", () => {
  expect(actorOf(event({}))).toBe("ann")
  expect(actorOf(event({ actor: { kind: "server", id: null, name: "" } }))).toBe("The server")
  expect(actorOf(event({ actor: { kind: "key", id: 3, name: "ci" } }))).toBe("The API key ci")
  const guest = { kind: "guest", id: null, name: "" } as const
  expect(actorOf(event({ actor: guest, action: "session.begin" }))).toBe("ann")
  expect(actorOf(event({ actor: guest, action: "session.refuse" }))).toBe("Someone as ann")
  expect(actorOf(event({ actor: guest, account: null }))).toBe("Someone")
  expect(kindOf(event({ action: "version.erase" }))).toBe("items")
})

test("recent days have names", () => {
  const now = new Date(2026, 0, 2, 12)
  expect(dayOf(new Date(2026, 0, 2, 1).toISOString(), now)).toBe("Today")
  expect(dayOf(new Date(2026, 0, 1, 23).toISOString(), now)).toBe("Yesterday")
  expect(dayOf(new Date(2025, 11, 31, 23).toISOString(), now)).toBe("Wednesday, December 31, 2025")
})

test("an event says which token was made, or that it was done with one", () => {
  expect(deedOf(event({ action: "token.create", token: "ci" }))).toBe("created the token ci")
  expect(deedOf(event({ names: ["A"], nameCount: 1, token: "ci" }))).toBe("changed A with the token ci")
})
