import { setTimeout as wait } from "node:timers/promises"
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads"
import { openLine } from "../load/line.ts"
import { readRequest } from "../stock.ts"

/** One reader in its own thread, so that its times show the server's delays and not those of this program. */
export interface Probe {
  /** How long each read since the last call took, in ms. */
  take(): number[]
  stop(): Promise<void>
}

const everyMs = 20

export function startProbe(port: number, key: string): Probe {
  const worker = new Worker(new URL(import.meta.url), { workerData: { port, key } })
  let taken: number[] = []
  worker.on("message", (ms: number) => void taken.push(ms))
  // A read that failed counts as one that never ended.
  worker.on("error", () => void taken.push(Number.POSITIVE_INFINITY))
  return {
    take() {
      const all = taken
      taken = []
      return all
    },
    stop: async () => void (await worker.terminate()),
  }
}

async function keepReading({ port, key }: { port: number; key: string }): Promise<never> {
  const line = await openLine(port)
  for (;;) {
    const { ms } = await line.ask(readRequest(key), 200)
    parentPort?.postMessage(ms)
    await wait(everyMs)
  }
}

if (!isMainThread) await keepReading(workerData)
