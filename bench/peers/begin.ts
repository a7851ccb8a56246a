import { once } from "node:events"
import type { Server } from "node:http"

/** For a peer: what it has to serve. The peer ends with the process that started it. */
export async function given<Setting>(): Promise<Setting> {
  process.on("disconnect", () => process.exit())
  const [setting] = await once(process, "message")
  return setting
}

export async function listen(server: Server): Promise<void> {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  ready((server.address() as { port: number }).port)
}

export function ready(port: number): void {
  process.send?.(port)
}
