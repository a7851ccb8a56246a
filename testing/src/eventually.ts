import { waitTimeoutMs } from "./time-limits.ts"

/** For `vi.waitFor`: waits for what happens soon, or never. */
export const eventually = { timeout: waitTimeoutMs, interval: 10 }
