import { limits } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { nextTurn } from "../bounds/turns.ts"
import { onOneNode } from "../db/postgres-locks.ts"
import { type Job, startJobs } from "./jobs.ts"

const everyMs = 1

/** Starts a job and resolves once it has run as often as `times` says. */
async function runJob(times: number, run: Job["run"] = () => undefined, on: Job["on"] = "every node") {
  const { promise: enough, resolve } = Promise.withResolvers<void>()
  let runs = 0
  const failures: unknown[] = []
  const counted = async () => {
    if (++runs === times) resolve()
    await run()
  }
  const jobs = startJobs([{ name: "a job", everyMs, on, run: counted }], {
    onOneNode: async (_, work) => work(),
    failed: (_, error) => failures.push(error),
  })
  await enough
  await jobs.stop()
  return { runs: () => runs, failures }
}

test("a job that fails is reported and runs again", async () => {
  const { failures } = await runJob(3, () => {
    throw new Error("not this time")
  })
  expect(failures).toHaveLength(3)
})

test("a job does not overlap with itself, and stopping waits for the current run", async () => {
  let running = 0
  let most = 0
  await runJob(2, async () => {
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs))
    running--
  })
  expect({ most, running }).toEqual({ most: 1, running: 0 })
})

test("a job that is not due takes no lock and does not run", async () => {
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

test("a job with a long interval first runs soon after the start", async () => {
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

test("jobs that are due at the same time hold one connection between them", async () => {
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
  await jobs.stop()
  expect([ran, failed.mock.calls]).toEqual([names, []])
})

test("if two nodes start the same job at the same time, only one runs it", async () => {
  const { db } = await testApp()
  const release = Promise.withResolvers<void>()
  const work = vi.fn(() => release.promise)
  const started = vi.waitFor(() => expect(work).toHaveBeenCalled(), eventually)
  const first = onOneNode(db, "sweep", work)
  await started
  const second = vi.fn(async () => undefined)
  await onOneNode(db, "sweep", second)
  await onOneNode(db, "another job", second)
  release.resolve()
  await first
  // With SQLite there is one node. If a second process runs the job too, that does no harm.
  expect(second).toHaveBeenCalledTimes(engine === "postgres" ? 1 : 2)
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
    const app = await testApp({ location, env: Object.fromEntries(settings.map((name) => [name, days])) })
    vi.advanceTimersByTime(3_600_000)
    // Closing waits for the jobs that run.
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
