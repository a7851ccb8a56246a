export type OnResponse = (status: number, head: string) => void

/** Splits the bytes of a connection into answers, by their content-length, and reports each one once it is complete. */
export function responseReader(onResponse: OnResponse): (chunk: Buffer, length: number) => void {
  let head = ""
  let status = 0
  let unread = 0
  return (chunk, length) => {
    let at = 0
    while (at < length) {
      if (unread > 0) {
        const read = Math.min(unread, length - at)
        unread -= read
        at += read
        if (unread === 0) finish()
        continue
      }
      const text = head + chunk.toString("latin1", at, length)
      const end = text.indexOf("\r\n\r\n")
      if (end === -1) {
        head = text
        return
      }
      at += end + 4 - head.length
      head = text.slice(0, end)
      status = Number(head.slice(9, 12))
      unread = bodyLength(status, head)
      if (unread === 0) finish()
    }
  }

  function finish(): void {
    const finished = head
    head = ""
    onResponse(status, finished)
  }
}

function bodyLength(status: number, head: string): number {
  if (status === 304) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without content-length:\n${head}`)
  return Number(length)
}
