import type { IncomingMessage } from "node:http"
import type { CountChunk } from "./sender-turns.ts"

/** Each chunk costs some work, however short it is. No honest sender has so many so short ones. */
const maxSmallChunks = 1_000
const smallChunkBytes = 64

export type BoundChunks = (request: IncomingMessage) => void

/** Cuts off a sender whose body comes in very many tiny chunks, whether anything reads the body or not. */
export function chunkBounds(count: CountChunk): BoundChunks {
  return (request) => {
    if (request.headers["transfer-encoding"] === undefined) return
    const push = request.push.bind(request)
    let chunks = 0
    let size = 0
    request.push = (chunk: Buffer | null, encoding) => {
      // Node goes through all that it has read, up to 64 KiB, before it closes the connection.
      if (request.destroyed) return true
      count(request.socket)
      if (chunk !== null) chunks++
      size += chunk?.length ?? 0
      if (chunks > maxSmallChunks && size < chunks * smallChunkBytes) request.destroy()
      return push(chunk, encoding)
    }
  }
}
