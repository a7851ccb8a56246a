import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Target } from "./target.ts"

/**
 * Starts an attack in a process of its own, and returns what ends it. Resolves when the attack has begun. An attacker has a
 * machine of its own, so what it has to do must delay neither the server nor the one who measures: it is in the idle class,
 * whose threads stop at once when another one has something to do. Beside a thread that is merely nice, the kernel lets
 * others wait for up to a tick of its clock.
 */
export async function startAttack(name: string, target: Target): Promise<() => Promise<void>> {
  const idleNode = { execPath: "chrt", execArgv: ["--idle", "0", process.execPath, ...process.execArgv] }
  const attacker = fork(join(import.meta.dirname, "attacker.ts"), idleNode)
  attacker.send({ name, target })
  await once(attacker, "message")
  return async () => {
    const ended = once(attacker, "exit")
    attacker.kill("SIGKILL")
    await ended
  }
}
