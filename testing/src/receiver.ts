import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { recordOutput } from "./leaks.ts"

export interface Received {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

/** Answers a message: with a status, or in any other way. */
type Answer = (received: Received, response: ServerResponse) => number | undefined

/** A program that webhooks are sent to, on a port of this machine. What it is sent is searched for secrets. */
export async function startReceiver(answer: Answer = () => 204) {
  const received: Received[] = []
  const listeners: (() => void)[] = []
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += String(piece)
    const one = { path: request.url ?? "", headers: request.headers, body }
    recordOutput("the body of a webhook", body)
    received.push(one)
    for (const listener of listeners.splice(0)) listener()
    const status = self.answer(one, response)
    if (status !== undefined) response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const self = {
    answer,
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    /** The messages so far: what they are about. */
    types: () => received.map(({ body }) => JSON.parse(body).type as string),
    /** Resolves when so many messages have arrived. */
    async until(count: number): Promise<void> {
      while (received.length < count) await new Promise<void>((resolve) => listeners.push(resolve))
    },
  }
  return self
}
