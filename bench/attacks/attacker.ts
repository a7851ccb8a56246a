import { setPriority } from "node:os"
import { attacks, signInStorm } from "./attacks.ts"
import type { Target } from "./target.ts"

// In its own process, which gets only what the others leave of the processors: an attacker has a machine of its own, so what
// it has to do must delay neither the server nor the one who measures.
setPriority(19)

process.on("message", ({ name, target }: { name: string; target: Target }) => {
  ;[...attacks, signInStorm].find((attack) => attack.name === name)?.start(target)
  process.send?.("begun")
})
process.on("disconnect", () => process.exit())
