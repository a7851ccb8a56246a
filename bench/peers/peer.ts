import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Bench } from "../bench.ts"

/** Starts one of the servers in this folder in its own process; returns the port it listens on. */
export async function startPeer({ cleanup }: Bench, name: string, setting: unknown): Promise<number> {
  const child = fork(join(import.meta.dirname, `${name}.ts`), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  })
  const ended = once(child, "exit").then(() => [new Error(`the peer ${name} exited`)])
  cleanup.later(async () => {
    if (child.connected) child.disconnect()
    await ended
  })
  child.send(setting as object)
  const [answer] = await Promise.race([once(child, "message"), ended])
  if (answer instanceof Error) throw answer
  return answer as number
}
