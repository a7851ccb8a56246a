import type { Variable } from "@envkeep/formats"

/** Checks for own names, because `process.env` also has the members of every object, such as `constructor`. */
export function applyToProcess(variables: Iterable<Readonly<Variable>>, override: boolean): void {
  for (const { name, value } of variables) {
    if (override || !Object.hasOwn(process.env, name)) process.env[name] = value
  }
}
