import { testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { expect, test, vi } from "vitest"
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
