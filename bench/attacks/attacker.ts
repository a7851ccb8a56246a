import { attacks, signInStorm } from "./attacks.ts"
import type { Target } from "./target.ts"

process.on("message", ({ name, target }: { name: string; target: Target }) => {
  ;[...attacks, signInStorm].find((attack) => attack.name === name)?.start(target)
  process.send?.("begun")
})
process.on("disconnect", () => process.exit())
