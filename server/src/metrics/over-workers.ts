import cluster, { type Worker } from "node:cluster"
import { counter, type Family, gauge } from "./family.ts"
import { merge, type Report } from "./merge.ts"

interface Ask {
  envkeepMetrics: "ask"
  number: number
}

interface Told {
  envkeepMetrics: "told"
  number: number
  families: Family[]
}

const patienceMs = 2_000

/**
 * In the first process: one page for all workers. What a worker had counted when it was last asked stays counted after its
 * death, so that no total goes backwards.
 */
export function metricsOverWorkers(own: () => Promise<Family[]>): () => Promise<Family[]> {
  const places = new Map<number, string>()
  const last = new Map<number, Family[]>()
  let gone: Family[] = []
  let replaced = 0
  cluster.on("fork", ({ id }) => void places.set(id, firstFree([...places.values()])))
  cluster.on("exit", ({ id }) => {
    gone = merge([
      { worker: undefined, families: gone },
      { worker: undefined, families: last.get(id) ?? [] },
    ])
    last.delete(id)
    places.delete(id)
    replaced++
  })

  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const answered = new Set<number>()
    await Promise.all(
      workers.map(async (worker) => {
        const families = await ask(worker)
        if (families === undefined || !places.has(worker.id)) return
        last.set(worker.id, families)
        answered.add(worker.id)
      }),
    )
    const reports = Array.from(places, ([id, place]): Report => {
      // Of one that does not answer, what it had counted is known; how it is doing now is not.
      return { worker: answered.has(id) ? place : undefined, families: last.get(id) ?? [] }
    })
    const first = [
      ...(await own()),
      { ...gauge("envkeep_workers", "Processes that serve the port.", places.size), shared: true as const },
      counter("envkeep_worker_exits_total", "Processes that ended and had to be replaced.", replaced),
    ]
    return merge([{ worker: "0", families: first }, { worker: undefined, families: gone }, ...reports])
  }
}

/** In a worker: answers the first process. */
export function answerFirstProcess(collect: () => Promise<Family[]>): void {
  const { worker } = cluster
  worker?.on("message", async (message: Ask) => {
    if (message?.envkeepMetrics !== "ask") return
    // One that cannot tell counts as one that does not answer.
    const families = await collect().catch(() => undefined)
    if (families === undefined || !worker.isConnected()) return
    const told: Told = { envkeepMetrics: "told", number: message.number, families }
    worker.send(told, () => undefined)
  })
}

let asked = 0

function ask(worker: Worker): Promise<Family[] | undefined> {
  const question: Ask = { envkeepMetrics: "ask", number: ++asked }
  return new Promise((resolve) => {
    const end = (families?: Family[]) => {
      clearTimeout(patience)
      worker.off("message", hear)
      worker.off("exit", leave)
      resolve(families)
    }
    const hear = (message: Told) => {
      if (message?.envkeepMetrics === "told" && message.number === question.number) end(message.families)
    }
    const leave = () => end()
    const patience = setTimeout(leave, patienceMs)
    worker.on("message", hear)
    worker.on("exit", leave)
    if (worker.isConnected()) worker.send(question, () => undefined)
    else leave()
  })
}

/** Places are given anew, so that workers which die and come back do not make ever more series. */
function firstFree(taken: string[]): string {
  let place = 1
  while (taken.includes(String(place))) place++
  return String(place)
}
