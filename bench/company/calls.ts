import { type Call, calls as contract } from "@envkeep/contract"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { type Ids, type Sample, table } from "../../server/test/access/samples.ts"
import type { Bench, Rows } from "../bench.ts"
import type { Engine } from "../options.ts"
import { milliseconds, times, whole } from "../report.ts"
import { median } from "../turns.ts"
import { type Contender, type Made, startContender } from "./contender.ts"
import { pagesOf, scansOf } from "./statements.ts"

/** The two stores that are compared. */
type Pair<Thing> = Record<"small" | "large", Thing>

interface Outcome {
  name: string
  call: Call
  small: number
  large: number
  /** By how much the answer is longer. */
  growth: number
  /** The time in the large store, of that in the small one, for what is returned. */
  ratio: number
}

/** Below this, what a call takes is mostly what the machine does beside it. */
const noiseMs = 3
const shownCalls = 12
/** A call that takes longer is not repeated as often. */
const slowMs = 1_000

/** What administrators see of the whole store. It is counted when they look, from what environments and accounts count. */
const summaryCalls = new Set<Call>([contract.admin.counters, contract.admin.sizes])
const isSummary = ({ call }: Outcome) => summaryCalls.has(call)

export const callsHead = {
  title: "Every call in a company's store",
  how: `Every call of the contract, in a store a hundred times smaller and in the large one, in the same process and by turns: by an owner of a few things who has the same in both stores (a new owner each time a call changes something), and, if it only reads, by a colleague whose department has 80 environments in both. "Times" is per byte returned, and compared with ${noiseMs} ms where the small store takes less. The ${shownCalls} slowest calls are listed; the budget is for all of them, but for the two summaries of the whole store that administrators have: these have one of their own.`,
  columns: ["", "small", "large", "answer, times", "time, times"],
}

export async function measureCalls(bench: Bench, engine: Engine, pair: Pair<StoreLocation>, rows: Rows): Promise<void> {
  const { small, large } = { small: await startContender(pair.small), large: await startContender(pair.large) }
  const outcomes: Outcome[] = []
  for (const contest of contests()) {
    const outcome = await compare(bench, { small, large }, contest)
    if (outcome !== undefined) outcomes.push(outcome)
  }
  for (const one of outcomes.toSorted((a, b) => b.large - a.large).slice(0, shownCalls)) {
    rows.add(one.name, milliseconds(one.small), milliseconds(one.large), times(one.growth), times(one.ratio))
  }
  const [summaries, others] = [outcomes.filter(isSummary), outcomes.filter((one) => !isSummary(one))]
  for (const { name, small, large, ratio } of others.filter((one) => one.ratio > 1.5)) {
    bench.say(`    grows: ${name}: ${milliseconds(small)} to ${milliseconds(large)}, ${times(ratio)} times`)
  }
  const worst = others.toSorted((a, b) => b.ratio - a.ratio)[0]
  if (worst !== undefined) rows.hold("companyCalls", worst.name, worst.ratio)
  rows.hold("companySummaries", `${summaries.length} calls`, Math.max(...summaries.map(({ large }) => large)))
  const scans = await scansOf(large, engine)
  for (const { statement, table: scanned } of scans) bench.say(`    scans ${scanned}: ${statement}`)
  rows.hold("companyPlans", `${outcomes.length} calls`, scans.length)
  if (engine === "postgres") await comparePages(bench, { small, large }, rows)
  // The webhooks that were made for the calls send nothing, because they are damaged. What is checked later is a healthy store.
  await large.db.deleteFrom("webhook").where("sealed_url", "=", new Uint8Array()).execute()
  for (const { close } of [small, large]) await close()
}

async function comparePages(bench: Bench, { small, large }: Pair<Contender>, rows: Rows): Promise<void> {
  const readings = await pagesOf({ small, large })
  for (const one of readings.filter(({ ratio }) => ratio > 2)) {
    bench.say(`    reads ${whole(one.large)} pages, and ${whole(one.small)} in the small store: ${one.statement}`)
  }
  const [most] = readings
  if (most !== undefined) rows.hold("companyPages", `${readings.length} statements`, most.ratio)
}

interface Contest {
  name: string
  call: Call
  sample: (ids: Ids) => Sample
  /** Whose things: of an owner of a few, made for each call that changes them, or of a colleague in the department. */
  by: "owner" | "new owner" | "colleague"
}

function contests(): Contest[] {
  return table.flatMap(([name, call, sample]): Contest[] => {
    if (call.method !== "GET") return [{ name, call, sample, by: "new owner" }]
    return [
      { name: `${name}, a few things`, call, sample, by: "owner" },
      { name: `${name}, a department's`, call, sample, by: "colleague" },
    ]
  })
}

async function compare(bench: Bench, contenders: Pair<Contender>, contest: Contest): Promise<Outcome | undefined> {
  const made: Pair<Made[]> = { small: [], large: [] }
  const repeats = contest.by === "new owner" ? bench.options.turns : 2 * bench.options.turns
  // The first of each is not counted: statements are prepared, and pages are read, only then.
  for (let turn = 0; turn <= repeats; turn++) {
    for (const which of turn % 2 === 0 ? (["small", "large"] as const) : (["large", "small"] as const)) {
      const one = await makeOnce(contenders[which], contest)
      if (turn > 0) made[which].push(one)
    }
    if (turn > 1 && (made.large.at(-1)?.ms ?? 0) > slowMs) break
  }
  const [first] = made.large
  if (first === undefined || first.status !== made.small[0]?.status) {
    throw new Error(`${contest.name}: ${made.small[0]?.status} in the small store, ${first?.status} in the large one`)
  }
  // What the department does not have.
  if (first.status === 404) return undefined
  // The fastest, which other work on the machine disturbs least.
  const [small, large] = [made.small, made.large].map((all) => Math.min(...all.map(({ ms }) => ms))) as [number, number]
  const [fewer, more] = [made.small, made.large].map((all) => median(all.map(({ bytes }) => bytes))) as [number, number]
  const growth = Math.max(1, more / Math.max(1, fewer))
  return {
    name: contest.name,
    call: contest.call,
    small,
    large,
    growth,
    ratio: large / Math.max(small, noiseMs) / growth,
  }
}

async function makeOnce(contender: Contender, { call, sample, by }: Contest): Promise<Made> {
  const whose = by === "new owner" ? await contender.newOwner() : contender[by]
  const isForAdmins = call.access === "admin"
  return contender.make(isForAdmins ? contender.colleague.person : whose.person, call, sample(whose.ids))
}
