import type { Snapshot } from "./cache.ts"
import { EnvkeepError } from "./error.ts"
import type { Settings } from "./settings.ts"

/** The part of an environment that `only` and `except` ask for. The cache and a watch always hold all of it. */
export function select(
  { only, except }: Pick<Settings, "only" | "except">,
  { variables, damaged, ...rest }: Snapshot,
): Snapshot {
  const isWanted = (name: string) => (only === undefined || only.includes(name)) && !except.includes(name)
  return { ...rest, variables: variables.filter(({ name }) => isWanted(name)), damaged: damaged.filter(isWanted) }
}

/**
 * A program must not start without a variable that was asked for by name. To leave out what is not there is no harm, but
 * may be a typing mistake.
 */
export function checkNames(
  { only, except, warn }: Pick<Settings, "only" | "except" | "warn">,
  snapshot: Snapshot,
): void {
  const [missing, extra] = [unknownNames(only, snapshot), unknownNames(except, snapshot)]
  if (missing !== "") throw new EnvkeepError("bad_option", `The environment has no variable ${missing}`)
  if (extra !== "") warn(`nothing to leave out: the environment has no variable ${extra}`)
}

/** The names that the environment does not have, as text; empty if it has them all. */
export function unknownNames(names: readonly string[] = [], { variables, damaged }: Snapshot): string {
  const known = new Set([...variables.map(({ name }) => name), ...damaged])
  const unknown = names.filter((name) => !known.has(name))
  return unknown.map((name) => JSON.stringify(name)).join(", ")
}
