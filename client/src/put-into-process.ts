import type { Variable } from "@envkeep/formats"

/** Asked by own name: `process.env` also answers for what every object has, such as `constructor`. */
export function putIntoProcess(variables: Iterable<Readonly<Variable>>, override: boolean): void {
  for (const { name, value } of variables) {
    if (override || !Object.hasOwn(process.env, name)) process.env[name] = value
  }
}
