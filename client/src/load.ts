import { createEnv, type Env } from "./env.ts"
import { type Options, readSettings } from "./settings.ts"
import { loadSnapshot } from "./snapshot.ts"

/** Reads the variables of the key's environment. Throws an `EnvkeepError`. */
export async function load(options: Options = {}): Promise<Env> {
  const settings = readSettings(options)
  return createEnv(settings, await loadSnapshot(settings))
}
