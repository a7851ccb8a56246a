import { type ClientRequest, type IncomingMessage, request as requestByHttp } from "node:http"
import { request as requestByHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import type { WebhookFault } from "@envkeep/contract"
import type { AddressPolicy } from "./addresses.ts"
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

/** Sends one message. Redirects are not followed: they could lead anywhere. `stop` ends it before its time. */
export async function send(letter: Letter, sender: Sender, stop: AbortSignal): Promise<Sent> {
  const tooLate = AbortSignal.timeout(sender.timeoutMs)
  const signal = AbortSignal.any([stop, tooLate])
  try {
    const addresses = await until(signal, checkedAddresses(letter.url, sender, signal))
    const status = await post(letter, addresses, signal)
    return { status, fault: faultOfStatus(status) }
  } catch (error) {
    return { status: null, fault: stop.aborted ? "interrupted" : tooLate.aborted ? "timeout" : faultOfError(error) }
  }
}

function until<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener("abort", abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort))
  })
}

function post({ url, headers, body }: Letter, addresses: readonly string[], signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestByHttps : requestByHttp
    const options = {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      // A connection of its own, without what the environment says about proxies.
      agent: false as const,
      lookup: answerWith(addresses),
      maxHeaderSize: maxHeaderBytes,
      signal,
    }
    const request: ClientRequest = send(url, options, (response) =>
      drain(response, () => resolve(Number(response.statusCode))),
    )
    request.on("error", reject)
    request.end(body)
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
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) response.destroy()
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
  const { code = "", syscall = "" } = error as { code?: string; syscall?: string }
  if (unresolved.has(code) || syscall.startsWith("query")) return "unknown_host"
  if (code.startsWith("HPE_")) return "bad_answer"
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO/.test(code)) return "tls"
  return "unreachable"
}
