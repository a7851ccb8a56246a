/** Numbers that look random and are the same for the same seed (the mulberry32 generator). */
export function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    /** From 0 to `end`, without `end`. */
    below: (end: number) => Math.floor(next() * end),
    pick: <Element>(all: readonly Element[]): Element => all[Math.floor(next() * all.length)] as Element,
  }
}

export type Random = ReturnType<typeof createRandom>
