import { once } from "node:events"
import { createServer } from "node:net"

/** Below those that the kernel hands out: another test would be given the port of a server while that one restarts. */
const [firstPort, portCount] = [10_000, 20_000]

/** A port of this machine that is not in use. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = firstPort + Math.floor(Math.random() * portCount)
    if (await isFree(port)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, "127.0.0.1")
  try {
    await once(probe, "listening")
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false
    throw error
  }
  probe.close()
  await once(probe, "close")
  return true
}
