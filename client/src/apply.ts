import { load } from "./index.ts"

const env = await load()
env.apply()
