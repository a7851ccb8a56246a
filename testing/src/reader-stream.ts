import type { EventStream } from "@envkeep/server/http/event-stream.ts"

/** A stream to a reader in this process, and what `noted` keeps of each event that it was sent. */
export function readerStream<Noted>(noted: (event: string, data: unknown) => Noted) {
  const sent: (Noted | "cut off")[] = []
  let close: () => void = () => undefined
  const stream: EventStream = {
    send(bytes) {
      const [, event = "", data = ""] = /^event: (.*)\n(?:id: .*\n)?data: (.*)\n\n$/.exec(String(bytes)) ?? []
      sent.push(noted(event, JSON.parse(data)))
    },
    sendHeartbeat: () => undefined,
    end: () => close(),
    cutOff() {
      sent.push("cut off")
      close()
    },
    onClose(listener) {
      close = listener
    },
  }
  return { sent, open: () => stream }
}
