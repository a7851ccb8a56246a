import type { IncomingMessage } from "node:http"

interface Connecting {
  /** Ends the connection, also before there is an answer. */
  signal: AbortSignal
  timeoutMs: number
  /** The same as the timeout, unless said otherwise. */
  silenceTimeoutMs?: number
  /** The answer that carries the events. It throws if the server gives another one. */
  open: (signal: AbortSignal) => Promise<IncomingMessage>
}

/** Events are a few dozen characters long. */
const maxEventLength = 64 * 1024

/** The events of one connection as text, until it ends, breaks or stays silent for too long. */
export async function* readEvents({
  signal,
  timeoutMs,
  silenceTimeoutMs = timeoutMs,
  open,
}: Connecting): AsyncGenerator<string> {
  const connection = new AbortController()
  const close = () => connection.abort()
  // Until the connection's own signal.
  signal.addEventListener("abort", close, connection)
  let timer = setTimeout(close, timeoutMs)
  try {
    const response = await open(connection.signal)
    let unread = ""
    for await (const chunk of response.setEncoding("utf8")) {
      clearTimeout(timer)
      timer = setTimeout(close, silenceTimeoutMs)
      unread += chunk
      const events = unread.split("\n\n")
      unread = events.pop() ?? ""
      // No stream of events. This is retried like a connection that breaks.
      if (unread.length > maxEventLength) throw new Error()
      yield* events
    }
  } finally {
    clearTimeout(timer)
    close()
  }
}

/** A field of an event. A heartbeat has none. */
export function fieldOf(event: string, name: string): string | undefined {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(event)?.[1]
}
