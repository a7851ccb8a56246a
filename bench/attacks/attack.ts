import { fork } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import type { Target } from "./target.ts"

/** Starts an attack in a process of its own, and returns what ends it. Resolves when the attack has begun. */
export async function startAttack(name: string, target: Target): Promise<() => Promise<void>> {
  const attacker = fork(join(import.meta.dirname, "attacker.ts"))
  attacker.send({ name, target })
  await once(attacker, "message")
  return async () => {
    const ended = once(attacker, "exit")
    attacker.kill("SIGKILL")
    await ended
  }
}
