/** Doubles with each failure up to 5 seconds, with jitter so that clients do not all come back at once. */
export function backoffMs(failures: number): number {
  return Math.min(5_000, 100 * 2 ** failures) * (0.5 + Math.random() / 2)
}

/** How long a watch waits before it connects again, if the server asks for a pause (`Retry-After`) or not. */
export function reconnectMs(failures: number, askedMs = 0): number {
  // Clients that lost the same server at the same moment come back spread over this time.
  const spreadMs = 1_000
  // A server that asks for more is asked again nevertheless: changes must not be missed for long.
  const maxAskedMs = 60_000
  const pauseMs = failures === 1 ? Math.random() * spreadMs : backoffMs(failures)
  return pauseMs + Math.min(Math.max(askedMs, 0), maxAskedMs)
}
