import { answer } from "../side-process.ts"
import { attacks, signInStorm } from "./attacks.ts"
import { slowClients } from "./slow-clients.ts"
import type { Target } from "./target.ts"

answer(({ name, target }: { name: string; target: Target }) => {
  ;[...attacks, signInStorm, slowClients].find((attack) => attack.name === name)?.start(target)
})
