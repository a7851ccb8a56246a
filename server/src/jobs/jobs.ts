import { oneAtATime } from "../bounds/one-at-a-time.ts"
import { minuteMs } from "../durations.ts"

/** Work that comes back. */
export interface Job {
  name: string
  everyMs: number
  /** Whether every node (on SQLite: every process) does it for itself, or one at a time does it for all. */
  on: "every node" | "one node"
  /** Asked each time, before anything else; without it, the job always runs. */
  isDue?(): boolean
  /** Once the signal is aborted, long work ends after its current batch. What is left is done after the next start. */
  run(signal: AbortSignal): Promise<void> | void
}

interface JobsAround {
  /** Runs the work if no other node does at this moment. */
  onOneNode(name: string, run: () => Promise<void>): Promise<void>
  failed(job: Job, error: unknown): void
}

export interface StartedJobs {
  /** Starts no more, tells those that run to end, and waits for those of every node, which are short. */
  stop(): Promise<void>
  /** After that, waits for the others. */
  ended(): Promise<void>
}

/** When a job runs for the first time, if not before: a server that is restarted often must not leave it undone. */
const firstRunMs = minuteMs

/** Starts the clocks. A run that fails, or takes longer than the interval, costs no more than that run. */
export function startJobs(jobs: readonly Job[], { onOneNode, failed }: JobsAround): StartedJobs {
  const stopping = new AbortController()
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
      stopping.abort()
      await Promise.all([...running].map(([job, done]) => (job.on === "every node" ? done : undefined)))
    },
    async ended() {
      await Promise.all(running.values())
    },
  }

  function start(job: Job): void {
    if (running.has(job) || job.isDue?.() === false) return
    const run = async () => job.run(stopping.signal)
    const done = (job.on === "one node" ? alone(job, run) : run())
      .catch((error: unknown) => failed(job, error))
      .finally(() => running.delete(job))
    running.set(job, done)
  }

  /** A job holds a connection to keep other nodes out. If many did so at once, no one else would get any. */
  function alone({ name, everyMs }: Job, run: () => Promise<void>): Promise<void> {
    const work = () => onOneNode(name, run)
    if (everyMs < firstRunMs) return work()
    return oneAfterTheOther("long job", async () => {
      if (!stopping.signal.aborted) await work()
    })
  }
}
