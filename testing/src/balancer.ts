import { once } from "node:events"
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { onTestFinished } from "vitest"

/**
 * What stands in front of several nodes, with the habits that balancers share: it takes them in turn, keeps connections to
 * them, and hands a read whose node refused or dropped it to the next one. A write that was sent is never sent twice.
 */
export async function balance(urls: string[]): Promise<string> {
  const agent = new Agent({ keepAlive: true, scheduling: "fifo" })
  let turn = 0
  const server = createServer((incoming, outgoing) => {
    const first = turn++
    const order = urls.map((_, n) => urls[(first + n) % urls.length] as string)
    void pass(order, incoming, outgoing)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    agent.destroy()
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`

  async function pass([url, ...others]: string[], incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
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
      await pass(method === "GET" ? others : [], incoming, outgoing)
    }
  }
}
