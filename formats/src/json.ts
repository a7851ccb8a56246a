import type { Variable } from "./raw.ts"

/** A plain object, written by hand so that `__proto__` is a name like any other and the order is kept. */
export function printJson(variables: Variable[]): string {
  const members = variables.map(({ name, value }) => `${JSON.stringify(name)}:${JSON.stringify(value)}`)
  return `{${members.join(",")}}`
}
