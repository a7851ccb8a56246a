/** Work that comes back. */
export interface Job {
  name: string
  everyMs: number
  /** Whether every node does it for itself, or one node at a time does it for all. */
  on: "every node" | "one node"
  run(): Promise<void> | void
}

interface JobsAround {
  /** Runs the work if no other node does at this moment. */
  onOneNode(name: string, run: () => Promise<void>): Promise<void>
  failed(job: Job, error: unknown): void
}

/** Starts the clocks. A run that fails, or takes longer than the interval, costs no more than that run. */
export function startJobs(jobs: readonly Job[], { onOneNode, failed }: JobsAround): { stop(): Promise<void> } {
  const running = new Map<Job, Promise<void>>()
  const timers = jobs.map((job) => setInterval(() => start(job), job.everyMs).unref())
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await Promise.all(running.values())
    },
  }

  function start(job: Job): void {
    if (running.has(job)) return
    const run = async () => job.run()
    const done = (job.on === "one node" ? onOneNode(job.name, run) : run())
      .catch((error: unknown) => failed(job, error))
      .finally(() => running.delete(job))
    running.set(job, done)
  }
}
