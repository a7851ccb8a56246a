import type { ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { nextTurn } from "../bounds/turns.ts"

/** An answer of plain text, ready to send. */
export interface TextAnswer {
  status: 200 | 304
  /** All headers as name, value, name, value: the form that costs Node the least work. */
  headers: string[]
  /** A string is Latin-1: each character is one byte. Empty if a HEAD request was answered without making the body. */
  body: string | Buffer
}

/** What a request for text says besides its input, and the response that carries the answer. */
export interface TextRequest {
  ifNoneMatch: string | undefined
  isHead: boolean
  response: ServerResponse
  lookUp: LookUp
}

/** Does its work when it is the caller's turn to ask the database. */
export type LookUp = <Result>(work: () => Promise<Result>) => Promise<Result>

/** To hand over this much to the system is a short piece of work. */
const pieceBytes = 256 * 1024

export function isSentInPieces(body: string | Buffer): body is Buffer {
  return body.length > pieceBytes
}

/**
 * A large body, piece by piece. The system takes megabytes of it at once, so to hand it to many readers that asked
 * together would be one long piece of work. The pieces are views of the one body that all of them share.
 */
export function inPieces(body: Buffer): Readable {
  return Readable.from(pieces(body), { highWaterMark: 1 })
}

async function* pieces(body: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < body.length; at += pieceBytes) {
    await nextTurn()
    yield body.subarray(at, at + pieceBytes)
  }
}
