interface Budget {
  promise: string
  atLeast?: number
  atMost?: number
  below?: number
}

/** What we promise about speed. Where there is something to compare with, the figure is a ratio to it, from the same run. */
const budgets = {
  read: { promise: "read by key at 64 connections, of bare node:http", atLeast: 0.85 },
  notModified: { promise: "304 at 64 connections, of bare node:http", atLeast: 0.9 },
  readP99: { promise: "p99 of a read at 64 connections, times bare node:http", atMost: 1.5 },
  notModifiedP99: { promise: "p99 of a 304 at 64 connections, times bare node:http", atMost: 1.5 },
  workers: { promise: "two processes at 64 connections, of one", atLeast: 1.6 },
  growth: { promise: "read with 1,000,000 items stored, of the read with 1,000", atLeast: 0.9 },
  lists: { promise: "a long list, times a short one, per thing returned", atMost: 1.5 },
  find: { promise: "a search among 100,000 names, ms", atMost: 50 },
  people: { promise: "a call by a member of 50 teams with 1,000 collections, times the owner's", atMost: 1.5 },
  activity: { promise: "a page of activity among 1,000,000 events, times that among 100", atMost: 1.5 },
  coldRead: { promise: "first read after a change, times the bare queries it needs", below: 3 },
  bulkSave: { promise: "bulk save of 1,000 items, times the bare transaction", below: 3 },
  singleWrite: { promise: "single write, times the bare transaction", atMost: 12 },
  history: { promise: "page of history among 10,000 revisions, times the same among 100", atMost: 1.5 },
  watcherMemory: { promise: "one of 10,000 watchers, kB over an idle connection", atMost: 12 },
  watchersHear: { promise: "a change until the last of 10,000 watchers has it, ms", below: 250 },
  watchedRead: { promise: "read next to 10,000 watchers, of the read without", atLeast: 0.95 },
  instances: { promise: "read with 10,000 instances known, of the read with one", atLeast: 0.95 },
  idleMemory: { promise: "memory one minute after a start, MB", below: 130 },
  start: { promise: "start to first answer, ms", below: 1_000 },
  attackedRead: { promise: "read by key during an attack, p99, times that at rest or 2 ms", atMost: 10 },
  attackedHealth: { promise: "/healthz during an attack, p99, times that at rest or 2 ms", atMost: 10 },
  attackedPause: { promise: "longest pause of the event loop during an attack, ms", atMost: 100 },
  attackedMemory: { promise: "memory during an attack, MB", below: 400 },
  afterAttack: { promise: "read by key two seconds after an attack, p99, times that at rest or 2 ms", atMost: 10 },
  stormRead: { promise: "read by key in a storm of sign-ins, p99, times the quiet one or 2 ms", atMost: 5 },
  stormCall: { promise: "call of a user in a storm of sign-ins, p99, times the quiet one or 2 ms", atMost: 5 },
  stormMemory: { promise: "memory in a storm of sign-ins, MB", below: 400 },
  failedCalls: { promise: "calls that fail in mixed traffic", atMost: 0 },
  absentTraffic: { promise: "kinds of traffic that were absent", atMost: 0 },
  trafficMemory: { promise: "memory in the last third of a run, MB over 1.1 times the second third", atMost: 16 },
  leakedFiles: { promise: "files and sockets of a process that are left over", atMost: 0 },
  leakedConnections: { promise: "connections to the database that are left over", atMost: 0 },
  probedRead: { promise: "slowest read next to slow clients, ms", atMost: 2_000 },
  refusedIdle: { promise: "times that idle connections are not taken", atMost: 0 },
  dayRead: { promise: "reads by key that fail", atMost: 0 },
  dayFresh: {
    promise: "reads by key that are wrong, or show what was replaced more than a second before",
    atMost: 0,
  },
  dayStale: { promise: "reads marked stale while the database is not away", atMost: 0 },
  dayLost: { promise: "confirmed writes that are lost", atMost: 0 },
  dayCall: {
    promise: "other calls that fail, except as documented for a restart and while the database is away",
    atMost: 0,
  },
  dayWatch: { promise: "newest values that a watcher does not get", atMost: 0 },
  dayWebhook: { promise: "changes that do not reach the webhooks, signed and in order", atMost: 0 },
  dayEvent: { promise: "restarts, backups, rotations, fail-overs and checks that fail", atMost: 0 },
  run: { promise: "`envkeep run`, ms over bare Node", below: 60 },
  command: { promise: "another command of `envkeep`, ms over bare Node", below: 100 },
  expand: { promise: "5,000-item environment expands, ms", below: 300 },
  gridOpen: { promise: "5,000 names of 8 environments open side by side, ms", below: 1_000 },
  gridBlank: { promise: "blank frames while they scroll", atMost: 0 },
  companyCalls: {
    promise: "a call in a company's store, times that in one a hundred times smaller or 3 ms, per byte returned",
    atMost: 1.5,
  },
  companySummaries: { promise: "a summary of a company's whole store, for administrators, ms", atMost: 100 },
  companyPages: {
    promise: "pages that a statement reads in a company's store, times a small one's or 1,000",
    atMost: 3,
  },
  companyReads: { promise: "read by key in a company's store, of the empty store's", atLeast: 0.9 },
  upkeepWait: { promise: "longest wait of a writer during the upkeep of a company's store, ms", atMost: 500 },
  upkeepMemory: { promise: "memory for the upkeep of a company's store, MB", below: 400 },
  companyPlans: { promise: "statements in a company's store that read a whole table that grows", atMost: 0 },
} satisfies Record<string, Budget>

export type BudgetName = keyof typeof budgets

/** What must hold during a whole day of traffic. */
export const dayRules = (Object.keys(budgets) as BudgetName[]).filter((name) => name.startsWith("day"))

export interface Held {
  promise: string
  where: string
  measured: number
  limit: string
  kept: boolean
}

/** Compares a figure with its budget. */
export function hold(name: BudgetName, where: string, measured: number): Held {
  const { promise, atLeast, atMost, below }: Budget = budgets[name]
  const kept =
    (atLeast === undefined || measured >= atLeast) &&
    (atMost === undefined || measured <= atMost) &&
    (below === undefined || measured < below)
  const limit = atLeast !== undefined ? `>= ${atLeast}` : atMost !== undefined ? `<= ${atMost}` : `< ${below}`
  return { promise, where, measured, limit, kept }
}
