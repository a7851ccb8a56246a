import { oneAtATime } from "../bounds/one-at-a-time.ts"

/** Work that comes back. */
export interface Job {
  name: string
  everyMs: number
  /** Whether every node does it for itself, or one node at a time does it for all. */
  on: "every node" | "one node"
  /** Asked each time, before anything else; without it, the job always runs. */
  isDue?(): boolean
  run(): Promise<void> | void
}

interface JobsAround {
  /** Runs the work if no other node does at this moment. */
  onOneNode(name: string, run: () => Promise<void>): Promise<void>
  failed(job: Job, error: unknown): void
}

/** When a job runs for the first time, if not before: a server that is restarted often must not leave it undone. */
const firstRunMs = 60_000

/** Starts the clocks. A run that fails, or takes longer than the interval, costs no more than that run. */
export function startJobs(jobs: readonly Job[], { onOneNode, failed }: JobsAround): { stop(): Promise<void> } {
  const running = new Map<Job, Promise<void>>()
  const oneAfterTheOther = oneAtATime<"long job">()
  const timers = jobs.map((job) => setInterval(() => start(job), job.everyMs).unref())
  const firstRuns = setTimeout(() => {
    for (const job of jobs) if (job.everyMs > firstRunMs) start(job)
  }, firstRunMs).unref()
  return {
    async stop() {
      clearTimeout(firstRuns)
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }

  function start(job: Job): void {
    if (running.has(job) || job.isDue?.() === false) return
    const run = async () => job.run()
    const done = (job.on === "one node" ? alone(job, run) : run())
      .catch((error: unknown) => failed(job, error))
      .finally(() => running.delete(job))
    running.set(job, done)
  }

  /** A job holds a connection to keep other nodes out. If many did so at once, no one else would get any. */
  function alone({ name, everyMs }: Job, run: () => Promise<void>): Promise<void> {
    const work = () => onOneNode(name, run)
    return everyMs < firstRunMs ? work() : oneAfterTheOther("long job", work)
  }
}
