import { expect, test } from "vitest"
import { judge, type Outcome } from "./verdict.ts"

const held = { rss: 0, files: 30, connections: 2 }
const well: Outcome = {
  // The first third warms up and has the idle connections; then only garbage collection moves it.
  rss: [80, 300, 250, 150, 170, 155, 160, 150, 175].map((mb) => mb * 1e6),
  calls: 1_000,
  faults: new Map(),
  before: held,
  after: held,
  slowestReadMs: 40,
  idle: { opened: 5_000, wanted: 5_000 },
}
const broken = (outcome: Partial<Outcome>) =>
  judge({ ...well, ...outcome })
    .filter(({ kept }) => !kept)
    .map(({ rule }) => rule)

test("a good run breaks no rule", () => {
  expect(broken({})).toEqual([])
})

test.each<[string, Partial<Outcome>]>([
  ["memory stays flat", { rss: [80, 90, 100, 150, 170, 190, 210, 230, 250].map((mb) => mb * 1e6) }],
  ["no call fails", { faults: new Map([["GET /: 500", 1]]) }],
  ["no call fails", { calls: 0 }],
  ["no file handle or socket leaks", { after: { ...held, files: 31 } }],
  ["no database connection leaks", { after: { ...held, connections: 3 } }],
  ["slow clients do not starve others", { slowestReadMs: Number.POSITIVE_INFINITY }],
  ["idle connections are taken", { idle: { opened: 4_999, wanted: 5_000 } }],
])("%s: what breaks it is found", (rule, outcome) => {
  expect(broken(outcome)).toEqual([rule])
})
