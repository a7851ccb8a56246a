/** For `vi.waitFor`: only what never happens takes so long, however busy the machine is. */
export const eventually = { timeout: 120_000, interval: 10 }
