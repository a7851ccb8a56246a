interface Sources {
  /** Never goes back, but may stand still while the machine sleeps. */
  monotonic(): number
  /** Goes on while the machine sleeps, but somebody may set it. */
  wall(): number
}

/**
 * Milliseconds that only grow, for everything that asks how long ago something was. A clock that is set back must not make
 * old look young, nor a machine that was asleep: whichever source says that more time has passed is believed.
 */
export function createClock({ monotonic, wall }: Sources): () => number {
  let passed = 0
  let seen = { monotonic: monotonic(), wall: wall() }
  return () => {
    const now = { monotonic: monotonic(), wall: wall() }
    passed += Math.max(now.monotonic - seen.monotonic, now.wall - seen.wall)
    seen = now
    return passed
  }
}

export const steadyNow = createClock({ monotonic: () => performance.now(), wall: Date.now })
