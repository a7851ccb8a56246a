import { expect, test } from "vitest"
import type { BudgetName, Held } from "../budgets.ts"
import { Journal } from "./journal.ts"
import { judgeDay, judgeSoak, type Outcome } from "./verdict.ts"

const megabytes = (sizes: number[]) => sizes.map((mb) => mb * 1e6)
// The first third warms up and has the idle connections; then only garbage collection moves it.
const flat = megabytes([80, 300, 250, 150, 170, 155, 160, 150, 175])
const growing = megabytes([80, 90, 100, 150, 170, 190, 210, 230, 250])
const held = { files: [30, 31, 30], connections: 3 }
const well: Outcome = {
  journal: new Journal(),
  needed: { reads: 10_000, staleReads: 40 },
  memory: [flat, flat, flat],
  before: held,
  after: held,
  slowestReadMs: 40,
}
const finding = (rule: BudgetName): Partial<Outcome> => {
  const journal = new Journal()
  journal.note(rule, "GET /api/v1/variables: 503")
  return { journal }
}
const broken = (all: Held[]) => all.filter(({ kept }) => !kept).map(({ promise, where }) => `${promise}, ${where}`)
const day = (outcome: Partial<Outcome>) => broken(judgeDay({ ...well, ...outcome }))
const soak = (outcome: Partial<Outcome>, minutes = 10) => broken(judgeSoak("SQLite", minutes, { ...well, ...outcome }))
const memory = "memory in the last third of a run, MB over 1.1 times the second third"

test("a good run breaks no rule", () => {
  expect([day({}), soak({})]).toEqual([[], []])
})

test.each<[string, Partial<Outcome>]>([
  ["kinds of traffic that were absent, a day: staleReads", { needed: { ...well.needed, staleReads: 0 } }],
  ["reads by key that fail, a day", finding("dayRead")],
  ["reads by key that are wrong, or show what was replaced more than a second before, a day", finding("dayFresh")],
  ["reads marked stale while the database is not away, a day", finding("dayStale")],
  ["confirmed writes that are lost, a day", finding("dayLost")],
  [
    "other calls that fail, except as documented for a restart and while the database is away, a day",
    finding("dayCall"),
  ],
  ["newest values that a watcher does not get, a day", finding("dayWatch")],
  ["changes that do not reach the webhooks, signed and in order, a day", finding("dayWebhook")],
  ["restarts, backups, rotations, fail-overs and checks that fail, a day", finding("dayEvent")],
  [`${memory}, a day, node 1`, { memory: [flat, growing, flat] }],
  [`${memory}, a day, node 2`, { memory: [flat, flat, []] }],
  ["files and sockets of a process that are left over, a day", { after: { ...held, files: [30, 31, 31] } }],
  ["connections to the database that are left over, a day", { after: { ...held, connections: 4 } }],
])("%s: what breaks it is found", (rule, outcome) => {
  expect(day(outcome)).toEqual([rule])
})

test.each<[string, Partial<Outcome>]>([
  [memory, { memory: [growing] }],
  ["calls that fail in mixed traffic", finding("failedCalls")],
  ["files and sockets of a process that are left over", { after: { ...held, files: [31, 31, 30] } }],
  ["connections to the database that are left over", { after: { ...held, connections: 4 } }],
  ["slowest read next to slow clients, ms", { slowestReadMs: Number.POSITIVE_INFINITY }],
  ["times that idle connections are not taken", finding("refusedIdle")],
])("%s: what breaks it in a soak is found", (rule, outcome) => {
  expect(soak(outcome)).toEqual([`${rule}, SQLite`])
})

test("a soak without calls says nothing", () => {
  expect(soak({ needed: { calls: 0 } })).toEqual(["kinds of traffic that were absent, SQLite: calls"])
})

test("a run of seconds says nothing about memory", () => {
  expect(soak({ memory: [growing] }, 0.2)).toEqual([])
})
