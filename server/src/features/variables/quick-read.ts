import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { type VariableFormat, variableFormats, variables } from "@envkeep/contract"
import { holds, unchangedHeaders } from "../../http/route.ts"
import { hashToken } from "../../keys/token.ts"
import type { Finished } from "./memory.ts"
import { headersOf, staleHeader } from "./routes.ts"
import { type Read, type Reading, staleRead } from "./rules.ts"

/** How many bytes the answer has; nothing when the request was left to others. */
export type QuickRead = (request: IncomingMessage, response: ServerResponse) => number | undefined

interface Ready {
  found: string[]
  unchanged: string[]
  /** The bytes as a string of bytes: a string goes out in one piece with the headers, a buffer in a second one. */
  body: string
}

/**
 * Answers the read that production machines make all day straight from memory, before the router and its hooks. Only what
 * is already there and may be trusted, or has to do while the database is away, is answered here, with the very headers
 * the route would send; everything else, every refusal included, goes the long way.
 */
export function quickRead(reading: Reading, securityHeaders: Record<string, string>): QuickRead {
  const { memory, feed, lastUsed, counts } = reading
  const path = `/api${variables.read.path}`
  const formatOf = new Map<string, VariableFormat>([[path, "json"]])
  for (const format of variableFormats) formatOf.set(`${path}?format=${format}`, format)
  const lastAsked = new WeakMap<Socket, { authorization: string; keyHash: string }>()
  // Made once per revision; goes when the finished bytes are forgotten.
  const ready = new WeakMap<Finished, Ready>()

  return (request, response) => {
    const format = formatOf.get(request.url ?? "")
    if (format === undefined || request.method !== "GET") return undefined
    const { authorization, "if-none-match": held } = request.headers
    if (authorization === undefined || !authorization.startsWith("Bearer ek_")) return undefined
    const read = readNow(keyHashOf(request.socket, authorization), format)
    if (read === undefined) return undefined
    const { finished, staleSeconds } = read

    let headers = ready.get(finished)
    if (headers === undefined) {
      headers = prepare(finished, securityHeaders)
      ready.set(finished, headers)
    }
    const stale = staleSeconds === undefined ? undefined : Object.entries(staleHeader(staleSeconds)).flat()
    const isHeld = held === finished.etag || holds(held, finished.etag)
    const lines = isHeld ? headers.unchanged : headers.found
    response.writeHead(isHeld ? 304 : 200, stale === undefined ? lines : [...lines, ...stale])
    if (stale !== undefined) counts.quickStale++
    if (isHeld) {
      counts.quickUnchanged++
      response.end()
      return 0
    }
    counts.quick++
    response.end(headers.body, "latin1")
    return headers.body.length
  }

  /** Mostly a connection brings the same key again and again; then it need not be hashed again. */
  function keyHashOf(socket: Socket, authorization: string): string {
    const before = lastAsked.get(socket)
    if (before?.authorization === authorization) return before.keyHash
    const keyHash = hashToken(authorization.slice("Bearer ".length))
    lastAsked.set(socket, { authorization, keyHash })
    return keyHash
  }

  function readNow(keyHash: string, format: VariableFormat): Read | undefined {
    const finished = feed.isHearing() ? memory.find(keyHash, format) : undefined
    const read =
      finished === undefined && feed.isAway() ? staleRead(reading, keyHash, format) : finished && { finished }
    if (read !== undefined) lastUsed.note(keyHash)
    return read
  }
}

function prepare(finished: Finished, securityHeaders: Record<string, string>): Ready {
  const headers = { ...securityHeaders, ...headersOf(finished), etag: finished.etag }
  return {
    found: Object.entries({ ...headers, "content-length": String(finished.body.length) }).flat(),
    unchanged: Object.entries(unchangedHeaders(headers)).flat(),
    body: finished.body.toString("latin1"),
  }
}
