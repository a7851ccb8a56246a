import { onTestFinished, vi } from "vitest"

/** Longer than long work may go on before others get a turn. */
const stepMs = 10

/** From now on, each look at the clock finds that too much time has passed. So no machine is too fast for what is done in pieces. */
export function makeEveryStepLong(): void {
  let now = performance.now()
  const clock = vi.spyOn(performance, "now").mockImplementation(() => {
    now += stepMs
    return now
  })
  onTestFinished(() => clock.mockRestore())
}
