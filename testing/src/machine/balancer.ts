import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"

export interface Balancer {
  url: string
  close(): void
}

/**
 * A load balancer in front of several nodes. Like most balancers, it takes them in turn, keeps connections to them, and
 * sends a read to the next node if its node refused or dropped it. It never sends a write twice: only one whose connection
 * was refused, of which nothing was sent, goes to the next node.
 */
export async function openBalancer(urls: string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true, scheduling: "fifo" })
  let requestCount = 0
  // Never closes a connection that is idle: a caller could be using it at the same moment, and would blame the nodes.
  const server = createServer({ keepAliveTimeout: 0 }, (incoming, outgoing) => {
    const first = requestCount++
    const order = urls.map((_, n) => urls[(first + n) % urls.length] as string)
    // A caller that hangs up while it sends gets no answer.
    buffer(incoming).then(
      (body) => forward(order, { incoming, outgoing, body }),
      () => outgoing.destroy(),
    )
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    close() {
      agent.destroy()
      server.close()
      server.closeAllConnections()
    },
  }

  async function forward([url, ...others]: string[], exchange: Exchange): Promise<void> {
    const { incoming, outgoing, body } = exchange
    if (url === undefined) return void outgoing.writeHead(502).end()
    const { method, headers, url: path } = incoming
    const forwarded = request(`${url}${path}`, { method, headers: { ...headers, connection: "keep-alive" }, agent })
    // A watcher that leaves is gone for its node too.
    outgoing.on("close", () => forwarded.destroy())
    try {
      forwarded.end(body)
      const [answer] = (await once(forwarded, "response")) as [IncomingMessage]
      const { connection: _, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, rest)
      answer.on("error", () => outgoing.destroy()).pipe(outgoing)
    } catch (error) {
      if (outgoing.destroyed) return
      const mayGoOn = method === "GET" || (error as { code?: string }).code === "ECONNREFUSED"
      await forward(mayGoOn ? others : [], exchange)
    }
  }
}

interface Exchange {
  incoming: IncomingMessage
  outgoing: ServerResponse
  body: Buffer
}
