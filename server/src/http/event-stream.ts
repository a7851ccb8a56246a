import type { FastifyReply } from "fastify"
import { closeAfterAnswer, endWhenRefused } from "./connections.ts"

/** An event as it is sent. One for many readers is made once: to make it for each would take as long as to send it. */
export function eventBytes(event: string, data: unknown, id?: number | string): Buffer {
  return Buffer.from(`event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`)
}

/** A line that clients ignore. */
const heartbeat = Buffer.from(":\n\n")

/** A stream of server-sent events to one reader. */
export interface EventStream {
  send(event: Buffer): void
  /** Proxies close connections that are idle for long. */
  sendHeartbeat(): void
  end(): void
  /** For a reader that may not take what `end` still sends. */
  cutOff(): void
  /** Calls the listener once, also if the reader has already gone. */
  onClose(listener: () => void): void
}

/** More than a client that keeps up ever leaves unread. */
const maxUnreadBytes = 64 * 1024

export function eventStream(reply: FastifyReply): EventStream {
  reply.hijack()
  const { raw } = reply
  // The reader may have left while its key was looked up.
  if (!raw.destroyed) {
    endWhenRefused(raw)
    // It ends with its connection, and not with a last chunk: a chunk is three pieces to send, and this is one.
    raw.removeHeader("transfer-encoding")
    closeAfterAnswer(raw)
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
    })
    raw.flushHeaders()
  }
  const write = (bytes: Buffer) => {
    if (raw.writableEnded || raw.destroyed) return
    // What follows the headers goes to the connection as it is: thousands of readers are told of a change at once, and the
    // response would prepare each of their events. It has no connection yet while an answer before it is being sent.
    const to = raw.socket ?? raw
    // A client that has stopped reading is cut off, because its events would fill our memory. A live one reconnects.
    if (to.writableLength > maxUnreadBytes) raw.destroy()
    else to.write(bytes)
  }
  return {
    send: write,
    sendHeartbeat: () => write(heartbeat),
    end: () => void raw.end(),
    cutOff: () => void raw.destroy(),
    onClose(listener) {
      // The event comes only once, so after it there is nothing to wait for.
      if (raw.closed || raw.destroyed) listener()
      else raw.once("close", listener)
    },
  }
}
