import { load } from "./index.ts"
import { stopProgram } from "./stop-program.ts"

const env = await load().catch(stopProgram)
env.apply()
