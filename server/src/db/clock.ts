interface ClockSources {
  /** Never goes back, but may stop while the machine sleeps. */
  monotonic(): number
  /** Runs while the machine sleeps, but can be set to another time. */
  wall(): number
}

/**
 * Milliseconds that never go back, for measuring how long ago something happened. Neither a clock that is set back nor
 * a machine that slept may make something old look recent: the source by which more time has passed counts.
 */
export function createClock({ monotonic, wall }: ClockSources): () => number {
  let passedMs = 0
  let last = { monotonic: monotonic(), wall: wall() }
  return () => {
    const now = { monotonic: monotonic(), wall: wall() }
    passedMs += Math.max(now.monotonic - last.monotonic, now.wall - last.wall)
    last = now
    return passedMs
  }
}

export const steadyNow = createClock({ monotonic: () => performance.now(), wall: Date.now })
