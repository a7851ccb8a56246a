import { expect, test } from "vitest"
import type { BudgetName } from "../budgets.ts"
import { Findings } from "../traffic/findings.ts"
import { judge, type Outcome } from "./verdict.ts"

const megabytes = (sizes: number[]) => sizes.map((mb) => mb * 1e6)
// The first third warms up; then only garbage collection moves it.
const flat = megabytes([80, 110, 140, 150, 170, 155, 160, 150, 175])
const noTime = () => ({ seconds: 12, during: "fail-over" })
const held = { files: [30, 31, 30], connections: 3 }
const well: Outcome = {
  findings: new Findings(noTime),
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
    .map(({ promise, where }) => `${promise}, ${where}`)
const finding = (rule: BudgetName): Partial<Outcome> => {
  const findings = new Findings(noTime)
  findings.note(rule, "GET /api/v1/variables: 503")
  return { findings }
}
const growing = megabytes([80, 90, 100, 150, 170, 190, 210, 230, 250])
const memory = "memory in the last third of a run, MB over 1.1 times the second third"

test("a good run breaks no rule", () => {
  expect(broken({})).toEqual([])
})

test.each<[string, Partial<Outcome>]>([
  ["kinds of traffic that were absent, a day: writes", { writes: 0 }],
  ["kinds of traffic that were absent, a day: staleReads", { counts: { ...well.counts, staleReads: 0 } }],
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
  expect(broken(outcome)).toEqual([rule])
})
