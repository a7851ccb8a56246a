import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"

/**
 * A load balancer in front of several nodes. Like most balancers, it takes them in turn, keeps connections to them, and
 * sends a read to the next node if its node refused or dropped it. It never sends a write twice.
 */
export async function startLoadBalancer(urls: string[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, scheduling: "fifo" })
  let requestCount = 0
  const server = createServer((incoming, outgoing) => {
    const first = requestCount++
    const order = urls.map((_, n) => urls[(first + n) % urls.length] as string)
    void forward(order, incoming, outgoing)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    agent.destroy()
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`

  async function forward(
    [url, ...others]: string[],
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> {
    if (url === undefined) return void outgoing.writeHead(502).end()
    const { method, headers, url: path } = incoming
    const forwarded = request(`${url}${path}`, { method, headers: { ...headers, connection: "keep-alive" }, agent })
    try {
      incoming.pipe(forwarded)
      const [answer] = (await once(forwarded, "response")) as [IncomingMessage]
      const { connection: _, ...rest } = answer.headers
      outgoing.writeHead(answer.statusCode ?? 502, rest)
      answer.on("error", () => outgoing.destroy()).pipe(outgoing)
    } catch {
      await forward(method === "GET" ? others : [], incoming, outgoing)
    }
  }
}
