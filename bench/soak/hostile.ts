import { setTimeout as wait } from "node:timers/promises"
import { startAttack } from "../attacks/attack.ts"
import { attacks } from "../attacks/attacks.ts"
import type { Target } from "../attacks/target.ts"

const attackMs = 2_000
/** Long enough that the next attack finds a server at rest. */
const pauseMs = 6_000

/** One caller that does its worst again and again, each time in another way. */
export async function attackInTurns(target: Target, isOn: () => boolean): Promise<void> {
  for (let turn = 0; isOn(); turn++) {
    const end = await startAttack(attacks[turn % attacks.length]?.name ?? "", target)
    await wait(attackMs)
    await end()
    await wait(pauseMs)
  }
}
