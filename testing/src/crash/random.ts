export interface Random {
  /** A whole number from 0 up to but not including `below`. */
  below(below: number): number
  chance(probability: number): boolean
  pick<One>(list: readonly One[]): One
}

/** The same numbers for the same seed (mulberry32), so that a run can be repeated. */
export function seeded(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    below: (below) => Math.floor(next() * below),
    chance: (probability) => next() < probability,
    pick: <One>(list: readonly One[]) => list[Math.floor(next() * list.length)] as One,
  }
}
