import type { ServerResponse } from "node:http"

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
