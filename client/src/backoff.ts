/** Doubles with each failure up to 5 seconds, with jitter so that clients do not all come back at once. */
export function backoffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
}
