import cluster, { type Worker } from "node:cluster"
import type { Logger } from "pino"
import { exitCodes, StartError } from "../start-error.ts"
import type { RunningServer } from "./running-server.ts"

export const isWorker = cluster.isWorker
/** The one that starts before the others. */
export const isFirstWorker = cluster.worker?.id === 1

const restartDelayMs = 500
const longestRestartDelayMs = 30_000

/** Serves one port from several processes. They start and stop as one; one that dies is replaced. */
export function startWorkers(count: number, log: Logger): RunningServer & { started: Promise<void> } {
  let isStopping = false
  return {
    // A worker that is stopped while it starts ends before it listens, which is not a failure then.
    started: start().catch((error: unknown) => {
      if (!isStopping) throw error
    }),
    async stop() {
      isStopping = true
      await Promise.all(Object.values(cluster.workers ?? {}).map((worker) => worker && stopWorker(worker)))
    },
  }

  async function start(): Promise<void> {
    // The first one migrates the store and finds what is wrong with the settings; the others follow.
    await untilListening(cluster.fork())
    if (isStopping) return
    replaceDead()
    for (let forked = 1; forked < count; forked++) cluster.fork()
  }

  /** Starting costs much. A worker that dies before it listens is likely to do so again, so the delay grows. */
  function replaceDead(): void {
    const listening = new WeakSet<Worker>()
    let delayMs = restartDelayMs
    cluster.on("listening", (worker) => {
      listening.add(worker)
      delayMs = restartDelayMs
    })
    cluster.on("exit", (worker, code, signal) => {
      if (isStopping) return
      log.warn(`a worker process ended with ${signal ?? `code ${code}`}; another one replaces it`)
      setTimeout(() => isStopping || cluster.fork(), delayMs)
      if (!listening.has(worker)) delayMs = Math.min(2 * delayMs, longestRestartDelayMs)
    })
  }
}

/** In a worker: what to do when the primary process has ended. */
export function onOrphaned(stop: () => void): void {
  cluster.worker?.on("disconnect", stop)
}

function untilListening(worker: Worker): Promise<void> {
  return new Promise((resolve, reject) => {
    worker.once("listening", () => resolve())
    // It has printed the reason itself; only its exit code is left to pass on.
    worker.once("exit", (code) => reject(new StartError(code || exitCodes.failure, "")))
  })
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) return resolve()
    worker.once("exit", () => resolve())
    worker.process.kill("SIGTERM")
  })
}
