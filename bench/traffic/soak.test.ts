import { expect, test } from "vitest"
import { Findings } from "./findings.ts"
import { judgeSoak, type Soaked } from "./soak.ts"

const held = { files: [30], connections: 2 }
const findings = (...rules: ("failedCalls" | "refusedIdle")[]) => {
  const found = new Findings(() => ({ seconds: 0, during: "" }))
  for (const rule of rules) found.note(rule, "GET /: 500")
  return found
}
const well: Soaked = {
  minutes: 10,
  // The first third warms up and has the idle connections; then only garbage collection moves it.
  rss: [80, 300, 250, 150, 170, 155, 160, 150, 175].map((mb) => mb * 1e6),
  calls: 1_000,
  findings: findings(),
  before: held,
  after: held,
  slowestReadMs: 40,
}
const broken = (soaked: Partial<Soaked>) =>
  judgeSoak("SQLite", { ...well, ...soaked })
    .filter(({ kept }) => !kept)
    .map(({ promise }) => promise)

test("a good run breaks no rule", () => {
  expect(broken({})).toEqual([])
})

const growing = [80, 90, 100, 150, 170, 190, 210, 230, 250].map((mb) => mb * 1e6)

test.each<[string, Partial<Soaked>]>([
  ["memory in the last third of a run, MB over 1.1 times the second third", { rss: growing }],
  ["calls that fail in mixed traffic", { findings: findings("failedCalls") }],
  ["kinds of traffic that were absent", { calls: 0 }],
  ["files and sockets of a process that are left over", { after: { ...held, files: [31] } }],
  ["connections to the database that are left over", { after: { ...held, connections: 3 } }],
  ["slowest read next to slow clients, ms", { slowestReadMs: Number.POSITIVE_INFINITY }],
  ["times that idle connections are not taken", { findings: findings("refusedIdle") }],
])("%s: what breaks it is found", (promise, soaked) => {
  expect(broken(soaked)).toEqual([promise])
})

test("a run of seconds says nothing about memory", () => {
  expect(broken({ minutes: 0.2, rss: growing })).toEqual([])
})
