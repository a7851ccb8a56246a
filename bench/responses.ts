export type OnResponse = (status: number, head: string) => void

/** Splits the bytes of a connection into answers, by their length or their chunks, and reports each complete one. */
export function responseReader(onResponse: OnResponse): (chunk: Buffer, length: number) => void {
  let head = ""
  let status = 0
  /** What was read of a head or of a chunk's size, until its end is there. */
  let partial = ""
  let unread = 0
  let isChunked = false
  let isLast = false
  return (chunk, length) => {
    let at = 0
    while (at < length) {
      if (unread > 0) {
        const read = Math.min(unread, length - at)
        unread -= read
        at += read
        if (unread === 0 && isLast) finish()
        continue
      }
      const end = head === "" ? "\r\n\r\n" : "\r\n"
      const text = partial + chunk.toString("latin1", at, length)
      const found = text.indexOf(end)
      if (found === -1) {
        partial = text
        return
      }
      at += found + end.length - partial.length
      partial = ""
      if (head === "") begin(text.slice(0, found))
      else beginChunk(Number.parseInt(text.slice(0, found), 16))
    }
  }

  function begin(text: string): void {
    head = text
    status = Number(head.slice(9, 12))
    isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    isLast = !isChunked
    if (isChunked) return
    unread = bodyLength(status, head)
    if (unread === 0) finish()
  }

  /** A line break follows each chunk, and the last one is empty. */
  function beginChunk(bytes: number): void {
    unread = bytes + 2
    isLast = bytes === 0
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
