import { setTimeout as wait } from "node:timers/promises"
import { timed } from "../turns.ts"

export interface Timing {
  /** How long each time since the last call took, in ms. */
  take(): number[]
  stop(): Promise<void>
}

/** Does something again and again. A time that failed counts as one that never ended, and is the last. */
export function keepTiming(act: () => Promise<unknown>, pauseMs: number): Timing {
  let taken: number[] = []
  let isOn = true
  const running = repeat().catch((error: Error) => {
    process.stderr.write(`bench: ${error.message}\n`)
    taken.push(Number.POSITIVE_INFINITY)
  })
  return {
    take() {
      const all = taken
      taken = []
      return all
    },
    async stop() {
      isOn = false
      await running
    },
  }

  async function repeat(): Promise<void> {
    while (isOn) {
      taken.push(await timed(act))
      await wait(pauseMs)
    }
  }
}
