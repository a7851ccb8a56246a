import { setTimeout as wait } from "node:timers/promises"
import { onTestFinished } from "vitest"

/** A change must be visible on every node within this time. */
const maxDelayMs = 1_000

interface Read {
  node: number
  startedAt: number
  answer: string
}

/** What every read that starts after `dueAt` must return. */
interface Expectation {
  dueAt: number
  isRight(answer: string): boolean
}

/**
 * Reads with one key on every node, again and again, until the test ends. A read that starts more than a second after a
 * change was confirmed must show the change. How long the read itself takes on a busy machine does not matter.
 */
export function keepReading(urls: string[], key: string) {
  const expectations: Expectation[] = []
  const wrongReads: (Read & { lateMs: number })[] = []
  const listeners = new Set<(read: Read) => void>()
  let stopped = false
  const loops = urls.map((url, node) => loop(url, node))
  const stop = async () => {
    stopped = true
    await Promise.all(loops)
  }
  onTestFinished(stop)
  return {
    wrongReads,
    /** Every read that starts later than a second from now must be right. */
    expectWithinASecond(isRight: (answer: string) => boolean): void {
      expectations.push({ dueAt: performance.now() + maxDelayMs, isRight })
    },
    /** Waits until every node has answered a read to which all expectations so far apply. */
    async untilChecked(): Promise<void> {
      const dueAt = expectations.at(-1)?.dueAt ?? 0
      await Promise.all(urls.map((_, node) => untilRead((read) => read.node === node && read.startedAt > dueAt)))
    },
  }

  async function loop(url: string, node: number): Promise<void> {
    while (!stopped) {
      const startedAt = performance.now()
      const response = await fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
      const answer = response.ok ? await response.text() : String(response.status)
      check({ node, startedAt, answer })
      // Leaves the processor to the servers for a moment.
      await wait(2)
    }
  }

  function check(read: Read): void {
    // Each expectation replaces the one before it.
    const due = expectations.findLast(({ dueAt }) => dueAt < read.startedAt)
    if (due !== undefined && !due.isRight(read.answer)) wrongReads.push({ ...read, lateMs: read.startedAt - due.dueAt })
    for (const listener of listeners) listener(read)
  }

  function untilRead(isWanted: (read: Read) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const listener = (read: Read) => {
        if (!isWanted(read)) return
        listeners.delete(listener)
        resolve()
      }
      listeners.add(listener)
    })
  }
}
