import type { Random } from "./random.ts"

/** Makes one write after another, and knows afterwards what the store must contain. */
export interface Writer {
  name: string
  /** Makes one write. Returns false if its outcome is unknown: then the next step must wait for a check. */
  step(random: Random): Promise<boolean>
  /** Compares the store with what was written, and returns the faults. */
  check(): Promise<string[]>
}
