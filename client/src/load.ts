import { createEnv, type Env } from "./env.ts"
import { checkNames } from "./select.ts"
import { type Options, readSettings } from "./settings.ts"
import { loadSnapshot } from "./snapshot.ts"

/** Reads the variables of the key's environment. Throws an `EnvkeepError`. */
export async function load(options: Options = {}): Promise<Env> {
  const settings = readSettings(options)
  const snapshot = await loadSnapshot(settings)
  checkNames(settings, snapshot)
  return createEnv(settings, snapshot)
}
