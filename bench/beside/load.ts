import type { Load, LoadResult } from "../bench.ts"
import { openLine } from "../line.ts"

// The load generator: each of N connections sends the same prepared bytes, waits for the whole answer, and sends them again.
// It does the same work for every server.

const answerTimeoutMs = 10_000
const latenciesMs = new Float64Array(4_000_000)

export async function generate(load: Load): Promise<LoadResult> {
  const { port, status = 200, connections = 64, seconds = 1 } = load
  const request = Buffer.from(load.request, "latin1")
  // What comes before is not counted: connections open and code is compiled.
  const from = performance.now() + seconds * 250
  const until = from + seconds * 1000
  let count = 0
  const tooLate = setTimeout(
    () => {
      throw new Error(`no answer from port ${port} for ${answerTimeoutMs / 1000} s`)
    },
    until + answerTimeoutMs - performance.now(),
  )
  await Promise.all(Array.from({ length: connections }, hammer))
  clearTimeout(tooLate)

  const sorted = latenciesMs.subarray(0, count).sort()
  return { perSecond: count / seconds, p99: sorted[Math.min(count - 1, Math.floor(count * 0.99))] ?? Number.NaN }

  async function hammer(): Promise<void> {
    const line = await openLine(port)
    for (let now = 0; now < until; ) {
      const { ms } = await line.ask(request, status)
      now = performance.now()
      if (now >= from && now < until && count < latenciesMs.length) latenciesMs[count++] = ms
    }
    line.close()
  }
}
