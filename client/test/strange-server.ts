import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** Well-formed, for servers that do not check it. */
export const anyKey = `ek_${"a".repeat(40)}2GCHcS`

/** A server that answers as Envkeep never would. */
export async function strangeServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server.listen(0, "127.0.0.1"), "listening")
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
