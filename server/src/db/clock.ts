interface ClockSources {
  /** Never goes back, but may stop while the machine sleeps. */
  monotonic(): number
  /** Runs while the machine sleeps, but can be set to another time. */
  wall(): number
}

/** The wall clock counts whole milliseconds, and is adjusted by a few now and then. That is no sleep. */
const shortestSleepMs = 50

/**
 * Milliseconds that never go back, for measuring how long ago something happened. Neither a clock that is set back nor
 * a machine that slept may make something old look recent: the source by which more time has passed counts.
 */
export function createClock({ monotonic, wall }: ClockSources): () => number {
  const begun = monotonic()
  let wallIsAheadMs = wall() - begun
  let sleptMs = 0
  return () => {
    const now = monotonic()
    const aheadMs = wall() - now
    // Not for each small difference: with many calls in a millisecond, they would add up.
    if (Math.abs(aheadMs - wallIsAheadMs) >= shortestSleepMs) {
      sleptMs += Math.max(0, aheadMs - wallIsAheadMs)
      wallIsAheadMs = aheadMs
    }
    return now - begun + sleptMs
  }
}

export const steadyNow = createClock({ monotonic: () => performance.now(), wall: Date.now })
