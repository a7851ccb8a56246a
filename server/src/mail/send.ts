import { isIP, Socket } from "node:net"
import type { ConnectionOptions } from "node:tls"
import { domainToASCII } from "node:url"
import type { SMTPTransportOptions } from "nodemailer"
import { unlessAborted } from "../db/deadline.ts"
import type { MailAddress, MailServer } from "./settings.ts"

export interface OutgoingMail {
  messageId: string
  from: MailAddress
  to: string
  subject: string
  text: string
  html: string
}

/** Faults of the mail server, whatever the mail is. */
export const serverFaults = ["unreachable", "timeout", "tls", "login", "protocol"] as const

/** Why a mail was not taken. With the server's status, but not with its words: they may name people. */
export type MailFault =
  | (typeof serverFaults)[number]
  | `recipient ${number}`
  | `refused ${number}`
  | typeof invalidRecipient
  | "interrupted"

/** No server can be given this address: there is no use in trying again. */
export const invalidRecipient = "invalid recipient"

interface Sending {
  server: MailServer
  /** Of this server's address, as a URL has it. */
  hostname: string
  /** For everything until the server has the whole mail. */
  timeoutMs: number
  /** For its answer to that. */
  answerTimeoutMs: number
  /** Certificates to trust beside those of the system. */
  tls?: ConnectionOptions | undefined
}

/** nodemailer would replace them, and the mail would go to another address. */
const notInAddresses = /[\s<>\p{Cc}]/u

/** Gives one mail to the server. Null if the server took it. `stop` ends it early. */
export async function sendMail(mail: OutgoingMail, sending: Sending, stop: AbortSignal): Promise<MailFault | null> {
  if (notInAddresses.test(mail.to)) return invalidRecipient
  // Loaded with the first mail. Outside of the try: if that fails, the mail server is not to blame.
  const { createTransport } = await import("nodemailer")
  const tooLate = new AbortController()
  const abortAfter = (ms: number) => setTimeout(() => tooLate.abort(), ms).unref()
  let timer = abortAfter(sending.timeoutMs)
  // The server may be about to take the mail. If we gave up too soon, it would get it again (RFC 5321, 4.5.3.2.6).
  const waitForAnswer = () => {
    clearTimeout(timer)
    timer = abortAfter(sending.answerTimeoutMs)
  }
  const signal = AbortSignal.any([stop, tooLate.signal])
  // Destroyed when the signal is aborted, also while nodemailer waits for an answer.
  const socket = new Socket({ signal })
  socket.on("error", () => undefined)
  try {
    await unlessAborted(signal, connect(socket, sending.server))
    const transport = createTransport(optionsOf(sending, socket))
    // Read to its end only after the server has asked for it.
    transport.use("stream", ({ message }, done) => {
      message.processFunc((stream) => stream.once("end", waitForAnswer))
      done()
    })
    await unlessAborted(signal, transport.sendMail(messageOf(mail)))
    return null
  } catch (error) {
    return stop.aborted ? "interrupted" : tooLate.signal.aborted ? "timeout" : faultOf(error as SmtpError)
  } finally {
    clearTimeout(timer)
    socket.destroy()
  }
}

function connect(socket: Socket, { host, port }: MailServer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("error", reject)
    socket.connect({ host, port }, resolve)
  })
}

function optionsOf(
  { server, hostname, timeoutMs, answerTimeoutMs, tls = {} }: Sending,
  connection: Socket,
): SMTPTransportOptions {
  const { host, port, login } = server
  return {
    host,
    port,
    name: greetingName(hostname),
    secure: server.tls === "always",
    requireTLS: server.tls === "required",
    ignoreTLS: server.tls === "off",
    tls: { ...(server.tls === "if offered" ? { rejectUnauthorized: false } : {}), ...tls },
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs + answerTimeoutMs,
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password } }),
    getSocket: (_, callback) => callback(null, { connection }),
    // No part of a mail is read from elsewhere.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** How we introduce ourselves. By default that is often [127.0.0.1] in a container, which some mail servers refuse. */
function greetingName(hostname: string): string {
  if (isIP(hostname) === 4) return `[${hostname}]`
  // RFC 5321, 4.1.3. In a URL it is in brackets already.
  return hostname.replace(/^\[/, "[IPv6:")
}

function messageOf({ messageId, from, to, subject, text, html }: OutgoingMail) {
  const recipient = { name: "", address: to }
  return {
    messageId: `<${messageId}@${asciiDomainOf(from.address)}>`,
    from,
    to: recipient,
    // Not as text: nodemailer would read that as a list of addresses.
    envelope: { from, to: recipient },
    subject,
    text,
    html,
    // So that no program answers with "I am on holiday".
    headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All" },
  }
}

/** nodemailer writes the domains of addresses in ASCII, but a Message-ID as it is, and mail servers refuse other headers. */
function asciiDomainOf(address: string): string {
  const domain = address.slice(address.lastIndexOf("@") + 1)
  // Empty for an address literal, such as [192.0.2.7].
  return domainToASCII(domain) || domain
}

interface SmtpError extends Error {
  code?: string
  /** Of the socket. */
  originalCode?: string
  command?: string
  responseCode?: number
}

function faultOf({ code = "", originalCode = code, command = "", responseCode }: SmtpError): MailFault {
  if (code === "EAUTH" || code === "ENOAUTH") return "login"
  if (command === "RCPT TO") return `recipient ${responseCode ?? 0}`
  if (code === "ETLS" || /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_SSL_|EPROTO$/.test(originalCode)) return "tls"
  if (code === "ETIMEDOUT") return "timeout"
  if (code === "EENVELOPE" || code === "EMESSAGE") return `refused ${responseCode ?? 0}`
  return code === "EPROTOCOL" ? "protocol" : "unreachable"
}
