import { limits } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { engine, newMigratedStore, type StoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { nextTurn } from "../bounds/turns.ts"
import { openDatabase } from "../db/open.ts"
import { hourMs } from "../durations.ts"
import { type Job, startJobs } from "./jobs.ts"

const everyMs = 1

/** Starts a job and resolves once it has run as often as `times` says. */
async function runJob(times: number, run: Job["run"] = () => undefined, on: Job["on"] = "every node") {
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const failures: unknown[] = []
  const counted = async (signal: AbortSignal) => {
    if (++runs === times) resolve()
    await run(signal)
  }
  const jobs = startJobs([{ name: "a job", everyMs, on, run: counted }], {
    onOneNode: async (_, work) => work(),
    failed: (_, error) => failures.push(error),
  })
  await enough
  await jobs.stop()
  return { runs: () => runs, failures }
}

testOnce("a job that fails is reported and runs again", async () => {
  const { failures } = await runJob(3, () => {
    throw new Error("not this time")
  })
  expect(failures).toHaveLength(3)
})

testOnce("a job does not overlap with itself, and stopping waits for the current run", async () => {
  let running = 0
  let most = 0
  await runJob(2, async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs))
    running--
  })
  expect({ most, running }).toEqual({ most: 1, running: 0 })
})

testOnce("a server that stops does not start what waits for its turn, and tells what runs to end", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  let batches = 0
  const purge = async (signal: AbortSignal) => {
    for (; !signal.aborted; batches++) await nextTurn()
  }
  const waiting = vi.fn()
  const failed = vi.fn()
  const jobs = startJobs(
    [
      { name: "purge", everyMs: 60_000, on: "one node", run: purge },
      { name: "another", everyMs: 60_000, on: "one node", run: waiting },
    ],
    { onOneNode: async (_, work) => work(), failed },
  )
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(() => expect(batches).toBeGreaterThan(3), eventually)
  await jobs.stop()
  await jobs.ended()
  expect([waiting.mock.calls, failed.mock.calls]).toEqual([[], []])
})

testOnce("a server that stops waits for what each node writes down, and for long work only after that", async () => {
  const counts = Promise.withResolvers<void>()
  const batch = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  const ended: string[] = []
  const run = (name: string, until: Promise<void>) => async () => {
    if (name === "purge") started.resolve()
    await until
    ended.push(name)
  }
  const jobs = startJobs(
    [
      { name: "write down counts", everyMs, on: "every node", run: run("write down counts", counts.promise) },
      { name: "purge", everyMs, on: "one node", run: run("purge", batch.promise) },
    ],
    { onOneNode: async (_, work) => work(), failed: vi.fn() },
  )
  await started.promise
  const stopped = jobs.stop()
  counts.resolve()
  await stopped
  expect(ended).toEqual(["write down counts"])
  batch.resolve()
  await jobs.ended()
  expect(ended).toEqual(["write down counts", "purge"])
})

testOnce("a job that is not due takes no lock and does not run", async () => {
  const asked = Promise.withResolvers<void>()
  let timesAsked = 0
  const isDue = () => {
    if (++timesAsked === 3) asked.resolve()
    return false
  }
  const run = vi.fn()
  const around = { onOneNode: vi.fn(), failed: vi.fn() }
  const jobs = startJobs([{ name: "a job", everyMs, on: "one node", isDue, run }], around)
  await asked.promise
  await jobs.stop()
  expect([run, around.onOneNode, around.failed].flatMap(({ mock }) => mock.calls)).toEqual([])
})

testOnce("a job with a long interval first runs soon after the start", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const run = vi.fn()
  const around = { onOneNode: vi.fn(), failed: vi.fn() }
  const jobs = startJobs([{ name: "a job", everyMs: 3_600_000, on: "every node", run }], around)
  vi.advanceTimersByTime(59_000)
  expect(run).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(run).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_000_000)
  expect(run).toHaveBeenCalledTimes(1)
  await jobs.stop()
})

testOnce("jobs that are due at the same time hold one connection between them", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const ran: string[] = []
  let held = 0
  const onOneNode = async (name: string, work: () => Promise<void>) => {
    expect(++held).toBe(1)
    await work()
    ran.push(name)
    held--
  }
  const failed = vi.fn()
  const names = ["first", "second", "third"]
  const jobs = startJobs(
    names.map((name) => ({ name, everyMs: 60_000, on: "one node", run: nextTurn })),
    { onOneNode, failed },
  )
  vi.advanceTimersByTime(60_000)
  await vi.waitFor(() => expect(ran).toEqual(names), eventually)
  await jobs.stop()
  expect(failed.mock.calls).toEqual([])
})

/** Two nodes, with what they need to run jobs. */
async function nodesOn({ dataDir, databaseUrl: url }: StoreLocation) {
  const stores = [await openDatabase({ dataDir, url }), await openDatabase({ dataDir, url })] as const
  onTestFinished(async () => {
    for (const { db } of stores) await db.destroy()
  })
  return stores
}

test("if two nodes start the same job at the same time, only one runs it", async () => {
  const [store, other] = await nodesOn(await newMigratedStore())
  const release = Promise.withResolvers<void>()
  const work = vi.fn(() => release.promise)
  const first = store.onOneNode("sweep", work)
  await vi.waitFor(() => expect(work).toHaveBeenCalled(), eventually)
  const second = vi.fn(async () => undefined)
  await other.onOneNode("sweep", second)
  expect(second).not.toHaveBeenCalled()
  // On SQLite, the process that runs one job runs them all, as long as it lives.
  await other.onOneNode("another job", second)
  expect(second).toHaveBeenCalledTimes(engine === "postgres" ? 1 : 0)
  release.resolve()
  await first
  await other.onOneNode("sweep", second)
  expect(second).toHaveBeenCalledTimes(engine === "postgres" ? 2 : 0)
})

test("the jobs that delete what is old log what they deleted, and are off with 0", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const { db, location, user, close } = await testApp()
  const ann = await user("ann@example.com")
  const environment = await ann.environment()
  const save = (value: number) =>
    ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "A", value: String(value) }])
  for (let value = 0; value <= limits.keptRevisions; value++) await save(value)
  const { id } = await ann.collection("old")
  await ann.delete(`/collection/${id}`)
  await db.updateTable("collection").set({ trashed_at: 1 }).where("id", "=", id).execute()
  await db.updateTable("revision").set({ created_at: 1 }).execute()
  await db.updateTable("audit_event").set({ created_at: 1 }).where("position", "is", null).execute()
  await close()

  const settings = ["ENVKEEP_TRASH_DAYS", "ENVKEEP_HISTORY_DAYS", "ENVKEEP_AUDIT_DAYS"]
  const logged = async (days: string) => {
    const executed: string[] = []
    const env = Object.fromEntries(settings.map((name) => [name, days]))
    const app = await testApp({ location, env, logQuery: ({ query }) => void executed.push(query.sql) })
    // They run one after the other, so the first round has ended when an early job of the second round runs. A late one
    // might still run when its next turn comes, and would leave that out.
    const timesDeletedFrom = (table: string) =>
      executed.filter((sql) => sql.startsWith(`delete from "${table}"`)).length
    vi.advanceTimersByTime(3_600_000)
    await vi.waitFor(() => expect(timesDeletedFrom("key_refusal")).toBe(1), eventually)
    vi.advanceTimersByTime(3_600_000)
    await vi.waitFor(() => expect(timesDeletedFrom("session")).toBe(2), eventually)
    await app.close()
    const lines = app.log.map((line) => JSON.parse(line) as { msg: string })
    return lines.filter(({ msg }) => /deleted|removed/.test(msg))
  }
  expect(await logged("0")).toEqual([])
  expect((await logged("30")).toSorted((a, b) => a.msg.localeCompare(b.msg))).toMatchObject([
    { msg: "deleted forever what was in the trash", collections: 1, environments: 0 },
    { msg: "deleted old events", events: expect.any(Number), reads: 0, auditDays: 30 },
    { msg: "removed old revisions", environments: 1, revisions: expect.any(Number), versions: expect.any(Number) },
  ])
})

testOnce("a job that fails is counted under its name, from 0 on", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const app = await testApp()
  const { failedJobs } = app.core.counts
  expect(failedJobs.get("purge expired attempts")).toBe(0)
  await app.db.schema.alterTable("attempt").renameTo("renamed").execute()
  vi.advanceTimersByTime(hourMs)
  await vi.waitFor(() => expect(failedJobs.get("purge expired attempts")).toBe(1), eventually)
  expect(failedJobs.get("purge expired invitations")).toBe(0)
})
