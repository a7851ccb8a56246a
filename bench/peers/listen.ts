import { once } from "node:events"
import type { Server } from "node:http"

/** Resolves with the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return (server.address() as { port: number }).port
}
