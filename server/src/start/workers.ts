import cluster, { type Worker } from "node:cluster"
import type { RunningServer } from "./serve.ts"
import { exitCodes, StartError } from "./start-error.ts"

export const isWorker = cluster.isWorker

const restartAfterMs = 500

/** Serves one port from several processes. They start and stop as one; one that dies is replaced. */
export function startWorkers(count: number): RunningServer & { started: Promise<void> } {
  let stopping = false
  return {
    // Asked to stop on the way up, a worker ends before it listens, which is then no failure.
    started: start().catch((error: unknown) => {
      if (!stopping) throw error
    }),
    async stop() {
      stopping = true
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && endOf(worker)))
    },
  }

  async function start(): Promise<void> {
    // The first one brings the store up to date and finds what is wrong with the settings; the others join it.
    await untilListening(cluster.fork())
    if (stopping) return
    await Promise.all(Array.from({ length: count - 1 }, () => untilListening(cluster.fork())))
    cluster.on("exit", () => {
      if (!stopping) setTimeout(() => stopping || cluster.fork(), restartAfterMs)
    })
  }
}

/** In a worker: what to do when the first process is no more. */
export function onOrphaned(stop: () => void): void {
  cluster.worker?.on("disconnect", stop)
}

function untilListening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("listening", () => resolve())
    // It has already said why on standard error; what is left to pass on is its exit code.
    worker.once("exit", (code) => reject(new StartError(code || exitCodes.failure, "")))
  })
}

function endOf(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve()
    worker.once("exit", () => resolve())
    worker.process.kill("SIGTERM")
  })
}
