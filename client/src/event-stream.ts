import type { IncomingMessage } from "node:http"

export interface StreamEvent {
  /** Empty for a heartbeat. */
  event: string
  data: string
}

interface Connecting {
  /** Ends the connection, also before there is an answer. */
  signal: AbortSignal
  timeoutMs: number
  silenceTimeoutMs: number
  /** The answer that carries the events. It throws if the server gives another one. */
  open: (signal: AbortSignal) => Promise<IncomingMessage>
}

/** Events are a few dozen characters long. */
const maxEventLength = 64 * 1024

/** The events of one connection, until it ends, breaks or stays silent for too long. */
export async function* readEvents({
  signal,
  timeoutMs,
  silenceTimeoutMs,
  open,
}: Connecting): AsyncGenerator<StreamEvent> {
  const connection = new AbortController()
  const close = () => connection.abort()
  signal.addEventListener("abort", close)
  let timer = setTimeout(close, timeoutMs)
  try {
    const response = await open(connection.signal)
    let unread = ""
    for await (const chunk of response.setEncoding("utf8")) {
      clearTimeout(timer)
      timer = setTimeout(close, silenceTimeoutMs)
      const blocks = `${unread}${chunk}`.split("\n\n")
      unread = blocks.pop() ?? ""
      if (unread.length > maxEventLength) throw new Error("This is not a stream of events")
      for (const block of blocks) yield { event: field(block, "event"), data: field(block, "data") }
    }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener("abort", close)
    connection.abort()
  }
}

function field(block: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? ""
}
