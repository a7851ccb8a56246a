import { setTimeout as wait } from "node:timers/promises"
import { onTestFinished } from "vitest"

/** What a change must be seen within, everywhere. */
const promisedMs = 1_000

interface Read {
  node: number
  begunAt: number
  answer: string
}

/** What must be read from a moment on. */
interface Expectation {
  from: number
  isRight(answer: string): boolean
}

/**
 * Reads one key on every node, again and again, for as long as the test runs. A read that began more than a second after a
 * change was confirmed must show it; how long a read takes on a busy machine makes no difference to that.
 */
export function keepReading(urls: string[], key: string) {
  const expectations: Expectation[] = []
  const wrong: (Read & { late: number })[] = []
  const waiting = new Set<(read: Read) => void>()
  let stopped = false
  const loops = urls.map((url, node) => loop(url, node))
  const stop = async () => {
    stopped = true
    await Promise.all(loops)
  }
  onTestFinished(stop)
  return {
    wrong,
    /** From a second after now on, no answer may be any other. */
    expect(isRight: (answer: string) => boolean): void {
      expectations.push({ from: performance.now() + promisedMs, isRight })
    },
    /** Until every node has answered a read that began after all promises so far came due. */
    async untilDue(): Promise<void> {
      const due = expectations.at(-1)?.from ?? 0
      await Promise.all(urls.map((_, node) => untilRead((read) => read.node === node && read.begunAt > due)))
    },
  }

  async function loop(url: string, node: number): Promise<void> {
    while (!stopped) {
      const begunAt = performance.now()
      const response = await fetch(`${url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
      const answer = response.ok ? await response.text() : String(response.status)
      check({ node, begunAt, answer })
      // Leaves the machine to the others for a moment.
      await wait(2)
    }
  }

  function check(read: Read): void {
    // Only the last one due counts: those before it have been overtaken.
    const due = expectations.findLast(({ from }) => from < read.begunAt)
    if (due !== undefined && !due.isRight(read.answer)) wrong.push({ ...read, late: read.begunAt - due.from })
    for (const hear of waiting) hear(read)
  }

  function untilRead(isWanted: (read: Read) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const hear = (read: Read) => {
        if (!isWanted(read)) return
        waiting.delete(hear)
        resolve()
      }
      waiting.add(hear)
    })
  }
}
