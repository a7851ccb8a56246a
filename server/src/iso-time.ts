const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** A stored time as answers show it. One that was damaged must not cost the rest of the answer, so it becomes a limit. */
export function isoTime(storedMs: number): string {
  return new Date(Math.min(Math.max(Number(storedMs) || 0, 0), lastMs)).toISOString()
}
