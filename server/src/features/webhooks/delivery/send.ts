import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestByHttp } from "node:http"
import { Agent as HttpsAgent, request as requestByHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { WebhookFault } from "@envkeep/contract"
import { unlessAborted } from "../../../db/deadline.ts"
import type { AddressPolicy } from "./addresses.ts"
import { inPieces } from "./pieces.ts"
import { AddressRefusedError, checkedAddresses, type Resolve } from "./resolve.ts"

export interface Sender {
  policy: AddressPolicy
  resolve: Resolve
  /** For everything together: the name, the connection, the answer. */
  timeoutMs: number
}

export interface Letter {
  url: URL
  headers: Record<string, string>
  body: string
}

/** The answer, if there was one, and why it does not count as delivered. */
export interface Sent {
  status: number | null
  fault: WebhookFault | null
}

const maxHeaderBytes = 16 * 1024
/** More of an answer is not waited for. What it says is not used. */
const maxAnswerBytes = 16 * 1024
const maxAnswerChunks = 1_000
/** Of everything that arrives: with interim answers, and with what surrounds the chunks of a body. */
const maxReceivedBytes = 64 * 1024
/** Such as 103 Early Hints. Each costs as much as an answer. */
const maxInterimAnswers = 10

class BadAnswerError extends Error {
  override name = "BadAnswerError"
}

/** Sends one message. Redirects are not followed: they could lead anywhere. `stop` ends it before its time. */
export async function send(letter: Letter, sender: Sender, stop: AbortSignal): Promise<Sent> {
  const tooLate = AbortSignal.timeout(sender.timeoutMs)
  const signal = AbortSignal.any([stop, tooLate])
  try {
    const addresses = await unlessAborted(signal, checkedAddresses(letter.url, sender, signal))
    // Whatever the receiver does to the connection: a try that never ended would keep its place for ever.
    const status = await unlessAborted(signal, post(letter, addresses, signal))
    return { status, fault: faultOfStatus(status) }
  } catch (error) {
    return { status: null, fault: stop.aborted ? "interrupted" : tooLate.aborted ? "timeout" : faultOfError(error) }
  }
}

function post({ url, headers, body }: Letter, addresses: readonly string[], signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const send = url.protocol === "https:" ? requestByHttps : requestByHttp
  const request: ClientRequest = send(url, {
    method: "POST",
    headers: { ...headers, "content-length": Buffer.byteLength(body) },
    agent: agentFor(url),
    lookup: answerWith(addresses),
    maxHeaderSize: maxHeaderBytes,
    signal,
  })
  let answer: IncomingMessage | undefined
  request.on("response", (response) => {
    answer = response
    drain(response, () => resolve(Number(response.statusCode)))
  })
  const refuse = (why: string) => request.destroy(new BadAnswerError(why))
  onReceivedTooMuch(request, () => (answer === undefined ? refuse("no answer in so many bytes") : answer.destroy()))
  let interimAnswers = 0
  request.on("information", () => {
    if (++interimAnswers > maxInterimAnswers) refuse("too many interim answers")
  })
  // Without a listener, the connection would be closed and no error be told.
  request.on("upgrade", (_, socket) => {
    socket.destroy()
    reject(new BadAnswerError("another protocol"))
  })
  request.on("error", reject)
  request.on("close", () => {
    if (answer === undefined) reject(new BadAnswerError("no answer"))
  })
  request.end(body)
  // The receiver may keep its side of the connection open.
  return promise.finally(() => request.destroy())
}

/**
 * For one request: a connection of its own, without what the environment says about proxies. What arrives is parsed in small
 * pieces, and not at all once the request is destroyed.
 */
function agentFor({ protocol }: URL): HttpAgent {
  const agent = protocol === "https:" ? new HttpsAgent() : new HttpAgent()
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options) => {
    const socket = connect(options)
    return socket && inPieces(socket)
  }
  return agent
}

function onReceivedTooMuch(request: ClientRequest, end: () => void): void {
  request.on("socket", (socket) => {
    let receivedBytes = 0
    socket.on("data", (bytes: Buffer) => {
      receivedBytes += bytes.length
      if (receivedBytes > maxReceivedBytes) end()
    })
  })
}

/** In place of another look at DNS. Of several addresses, each is tried. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_, { all }, callback) => {
    const [first] = found
    if (first === undefined) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "")
    else if (all) callback(null, found)
    else callback(null, first.address, first.family)
  }
}

/** Up to a bound, so that a receiver that writes a page can end what it does. Then the connection is closed. */
function drain(response: IncomingMessage, done: () => void): void {
  let bytes = 0
  let chunks = 0
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    chunks++
    if (bytes > maxAnswerBytes || chunks > maxAnswerChunks) response.destroy()
  })
  response.on("error", done)
  response.on("close", done)
}

function faultOfStatus(status: number): WebhookFault | null {
  if (status >= 200 && status < 300) return null
  return status >= 300 && status < 400 ? "redirect" : "status"
}

const unresolved = new Set(["ENOTFOUND", "ENODATA", "ESERVFAIL", "EREFUSED", "ETIMEOUT", "EBADNAME", "EAI_AGAIN"])

function faultOfError(error: unknown): WebhookFault {
  if (error instanceof AddressRefusedError) return "address_refused"
  if (error instanceof BadAnswerError) return "bad_answer"
  const { code = "", syscall = "" } = error as { code?: string; syscall?: string }
  if (unresolved.has(code) || syscall.startsWith("query")) return "unknown_host"
  if (code.startsWith("HPE_")) return "bad_answer"
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code)) return "tls"
  return "unreachable"
}
