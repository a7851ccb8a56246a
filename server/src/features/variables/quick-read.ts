import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { instanceHeaderName, type VariableFormat, variableFormats, variables } from "@envkeep/contract"
import type { KeyCaller } from "../../access/caller.ts"
import { keyCaller } from "../../http/bearer.ts"
import { inPieces, isSentInPieces } from "../../http/text-answer.ts"
import type { AnswerRead } from "./answer.ts"
import { type Reading, readFromMemory } from "./rules.ts"

/** Answers a read from memory and returns how many bytes it sent, or undefined if the router has to answer. */
export type QuickRead = (request: IncomingMessage, response: ServerResponse) => number | undefined

/** Reads that were answered here, so that the router could not count them. */
export interface QuickCounts {
  200: number
  304: number
}

interface QuickParts {
  answerRead: AnswerRead
  /** The address that a request comes from. */
  addressOf(request: IncomingMessage): string
  counts: QuickCounts
}

/** Longer than a key, and than what most programs call themselves. Thousands of idle connections must not keep long headers in memory. */
const maxRememberedLength = 128

/**
 * Answers the most frequent request before the router and its hooks, which would cost more than the read itself. The
 * same functions as behind the router identify the caller, check the key, and make and count the answer. What memory
 * cannot answer goes to the router, and so does every refusal.
 */
export function quickRead(reading: Reading, { answerRead, addressOf, counts }: QuickParts): QuickRead {
  const path = `/api${variables.read.path}`
  const formatOf = new Map<string, VariableFormat>([[path, "json"]])
  for (const format of variableFormats) formatOf.set(`${path}?format=${format}`, format)
  const lastCallers = new WeakMap<Socket, LastCaller>()

  return (request, response) => {
    const { url = "", method, headers } = request
    const format = formatOf.get(url)
    if (format === undefined || method !== "GET" || headers.authorization === undefined) return undefined
    const read = readFromMemory(reading, callerOn(request), format)
    if (read === undefined) return undefined
    const answer = answerRead(read, headers["if-none-match"])
    counts[answer.status]++
    response.writeHead(answer.status, answer.headers)
    if (typeof answer.body !== "string") reading.unsent.hold(read.rendered, response)
    if (isSentInPieces(answer.body)) inPieces(answer.body).pipe(response)
    else response.end(answer.body, "latin1")
    return answer.body.length
  }

  /** Most connections send the same key each time, so it is parsed and hashed once. */
  function callerOn(request: IncomingMessage): KeyCaller {
    const { socket, headers } = request
    const { authorization = "", "user-agent": userAgent = "", "x-forwarded-for": forwardedFor = "" } = headers
    const { [instanceHeaderName]: instance = "" } = headers
    const last = lastCallers.get(socket)
    const isLast =
      last?.authorization === authorization &&
      last.userAgent === userAgent &&
      last.forwardedFor === forwardedFor &&
      last.instance === instance
    if (isLast) return last.caller
    const caller = keyCaller(headers, addressOf(request))
    if ([authorization, userAgent, forwardedFor, instance].every((header) => header.length <= maxRememberedLength)) {
      lastCallers.set(socket, { authorization, userAgent, forwardedFor, instance, caller })
    }
    return caller
  }
}

/** What a connection's last request said, and the caller that it named. */
interface LastCaller {
  authorization: string
  userAgent: string
  forwardedFor: string | string[]
  instance: string | string[]
  caller: KeyCaller
}
