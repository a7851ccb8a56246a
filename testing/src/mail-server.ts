import { once } from "node:events"
import { readFileSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { buffer } from "node:stream/consumers"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { registerSecret } from "./leaks.ts"
import { type ReadMail, readMail } from "./read-mail.ts"

export interface ReceivedMail extends ReadMail {
  /** Of the envelope. */
  from: string
  to: string
  /** Who the sender says it is. */
  greeting: string
  isSecure: boolean
  /** Who logged in. */
  user: string | undefined
}

const fixture = (name: string) => readFileSync(join(import.meta.dirname, "../fixtures/mail-server", name), "utf8")

/** Of all servers here, for the name localhost. No one else trusts it. */
export const certificate = fixture("certificate.pem")

interface MailServerOptions extends SMTPServerOptions {
  login?: { user: string; password: string }
  host?: string
  port?: number
}

/** A real mail server on a port of this machine. The secrets of links in what it gets are looked for elsewhere. */
export async function startMailServer({
  login,
  host = "127.0.0.1",
  port: wantedPort = 0,
  ...options
}: MailServerOptions = {}) {
  const received: ReceivedMail[] = []
  const listeners: (() => void)[] = []
  const server = new SMTPServer({
    logger: false,
    key: fixture("key.pem"),
    cert: certificate,
    disableReverseLookup: true,
    authOptional: login === undefined,
    ...(login === undefined ? { disabledCommands: ["AUTH"] } : {}),
    onAuth({ username, password }, _, done) {
      const isRight = username === login?.user && password === login?.password
      if (isRight) done(null, { user: username })
      else done(new Error("Wrong user name or password"))
    },
    async onData(stream, { envelope, hostNameAppearsAs, secure, user }, done) {
      // Undefined if the client went away before its end.
      const bytes = await buffer(stream).catch(() => undefined)
      if (bytes === undefined) return
      const mail = readMail(bytes.toString("latin1"))
      const [, secret] = /#([\w-]{20,})/.exec(mail.text) ?? []
      if (secret !== undefined) registerSecret("a link of a mail", secret)
      received.push({
        ...mail,
        from: envelope.mailFrom ? envelope.mailFrom.address : "",
        to: envelope.rcptTo.map(({ address }) => address).join(", "),
        greeting: hostNameAppearsAs,
        isSecure: secure,
        user: typeof user === "string" ? user : undefined,
      })
      done()
      for (const listener of listeners.splice(0)) listener()
    },
    ...options,
  })
  // A client that is killed leaves its connection behind.
  server.on("error", () => undefined)
  server.listen(wantedPort, host)
  await once(server.server, "listening")
  const { port } = server.server.address() as AddressInfo
  let closed: Promise<void> | undefined
  return {
    port,
    url: `smtp://${host}:${port}`,
    received,
    close: () => {
      closed ??= new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const connection of server.connections) connection.close()
      })
      return closed
    },
    /** Resolves when so many mails have arrived. */
    async until(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => listeners.push(resolve))
    },
  }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>
