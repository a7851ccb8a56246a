import type { Snapshot } from "./cache.ts"
import { EnvkeepError } from "./error.ts"
import type { Settings } from "./settings.ts"

/** The part of an environment that `only` and `except` ask for. The cache and a watch always hold all of it. */
export function select({ only, except }: Settings, { variables, damaged, ...rest }: Snapshot): Snapshot {
  const isWanted = (name: string) => (only === undefined || only.includes(name)) && !except.includes(name)
  return { ...rest, variables: variables.filter(({ name }) => isWanted(name)), damaged: damaged.filter(isWanted) }
}

/**
 * A program must not start without a variable that was asked for by name. To leave out what is not there is no harm, but
 * may be a typing mistake.
 */
export function checkNames({ only = [], except, warn }: Settings, { variables, damaged }: Snapshot): void {
  const known = new Set([...variables.map(({ name }) => name), ...damaged])
  const unknown = (names: readonly string[]) =>
    names.filter((name) => !known.has(name)).map((name) => JSON.stringify(name))
  const [missing, extra] = [unknown(only), unknown(except)]
  if (missing.length > 0) throw new EnvkeepError("bad_option", `The environment has no variable ${missing.join(", ")}`)
  if (extra.length > 0) warn(`nothing to leave out: the environment has no variable ${extra.join(", ")}`)
}
