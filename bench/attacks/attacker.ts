import { attacks } from "./attacks.ts"
import type { Target } from "./target.ts"

// In its own process: what the attacker has to do must not delay the one who measures.

process.on("message", ({ name, target }: { name: string; target: Target }) => {
  attacks.find((attack) => attack.name === name)?.start(target)
})
process.on("disconnect", () => process.exit())
