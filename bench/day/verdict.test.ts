import { expect, test } from "vitest"
import type { Finding, Rule } from "./findings.ts"
import { judge, type Outcome } from "./verdict.ts"

const megabytes = (sizes: number[]) => sizes.map((mb) => mb * 1e6)
// The first third warms up; then only garbage collection moves it.
const flat = megabytes([80, 110, 140, 150, 170, 155, 160, 150, 175])
const held = { files: [30, 31, 30], connections: 3 }
const well: Outcome = {
  findings: [],
  counts: {
    reads: 10_000,
    staleReads: 40,
    unknownWrites: 0,
    refusedCalls: 9,
    personCalls: 5_000,
    commandReads: 50,
    commandWrites: 50,
    watcherUpdates: 900,
    webhookMessages: 400,
    repeatedMessages: 0,
  },
  writes: 500,
  memory: [flat, flat, flat],
  before: held,
  after: held,
  events: [],
  slowestReadMs: 40,
  logged: new Map(),
}
const broken = (outcome: Partial<Outcome>) =>
  judge({ ...well, ...outcome })
    .filter(({ kept }) => !kept)
    .map(({ rule }) => rule)
const finding = (rule: Rule): Partial<Outcome> => {
  const one: Finding = { rule, seconds: 12, during: "fail-over", what: "GET /api/v1/variables: 503" }
  return { findings: [one] }
}

test("a good run breaks no rule", () => {
  expect(broken({})).toEqual([])
})

test.each<[string, Partial<Outcome>]>([
  ["there was traffic of every kind", { writes: 0 }],
  ["there was traffic of every kind", { counts: { ...well.counts, staleReads: 0 } }],
  ["no read by key fails", finding("read")],
  ["no read by key is wrong, or shows what was replaced more than a second before", finding("fresh")],
  ["reads are marked stale only while the database is away", finding("stale")],
  ["no confirmed write is lost", finding("lost")],
  ["no other call fails, except as documented for a restart and while the database is away", finding("call")],
  ["every watcher gets the newest values", finding("watch")],
  ["every change reaches the webhooks, signed and in order", finding("webhook")],
  ["every restart, backup, rotation, fail-over and check succeeds", finding("event")],
  ["memory of node 1 stays flat", { memory: [flat, megabytes([80, 90, 100, 150, 170, 190, 210, 230, 250]), flat] }],
  ["memory of node 2 stays flat", { memory: [flat, flat, []] }],
  ["no file handle or socket leaks", { after: { ...held, files: [30, 31, 31] } }],
  ["no database connection leaks", { after: { ...held, connections: 4 } }],
])("%s: what breaks it is found", (rule, outcome) => {
  expect(broken(outcome)).toEqual([rule])
})
