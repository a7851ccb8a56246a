import { environmentRefusal, type Printed, printAll, type Variable } from "./variable.ts"

// `docker run --env-file` knows no quotes and no escapes: a line is a variable, all behind the first equals sign is value.

/** Docker's line reader gives up on a line that does not fit its buffer of 64 KiB together with the line break. */
const longestLine = 65_535

export function printDocker(variables: Variable[]): Printed {
  return printAll(variables, refusal, (variable) => `${line(variable)}\n`)
}

function refusal(variable: Variable): string | undefined {
  const { name, value } = variable
  const never = environmentRefusal(variable)
  if (never !== undefined) return never
  if (name === "") return "its name is empty"
  if (/[\s\u0085]/.test(name)) return "its name has a space"
  if (name.includes("=")) return "its name has an equals sign"
  if (name.startsWith("#")) return "its name begins with #, which starts a comment"
  if (value.includes("\n")) return "its value has a line break"
  if (value.endsWith("\r")) return "its value ends in a carriage return"
  if (new TextEncoder().encode(line(variable)).length > longestLine) return "it is longer than 65,535 bytes"
  return undefined
}

function line({ name, value }: Variable): string {
  return `${name}=${value}`
}
