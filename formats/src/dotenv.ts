import { environmentRefusal, type Printed, printAll, type Variable } from "./variable.ts"

// Written for two readers at once, dotenv and `node --env-file`. Neither has an escape for its own quotes, and they differ
// in what a backslash does, so the encoding uses only what both read alike and refuses the rest.

const names = /^[\w.-]+$/
const plain = /^[\w.:/@%+,-]+$/

export function printDotenv(variables: Variable[]): Printed {
  return printAll(variables, refusal, ({ name, value }) => `${name}=${quoted(value)}\n`)
}

function refusal(variable: Variable): string | undefined {
  const { name, value } = variable
  const never = environmentRefusal(variable)
  if (never !== undefined) return never
  if (!names.test(name)) return "its name has other characters than letters, digits, '_', '.' and '-'"
  // dotenv collects what it reads in a plain object, where this name is not a member but the prototype.
  if (name === "__proto__") return "dotenv cannot read this name"
  if (/^\d+$/.test(name)) return "its name is a number, which Node passes over"
  if (value.includes("\r")) return "its value has a carriage return"
  if (quoted(value) !== undefined) return undefined
  if (value.endsWith("\\")) return "its value ends in a backslash and cannot stand without quotes"
  return "its value has too many kinds of quotes"
}

/** The value as it stands in the file, or nothing when no way of writing it is read back by both. */
function quoted(value: string): string | undefined {
  if (plain.test(value)) return value
  // dotenv may take a backslash before the closing quote for an escape and read on into the next line.
  const quote = value.endsWith("\\") ? undefined : ["'", '"', "`"].find((quote) => fits(value, quote))
  if (quote !== undefined) return quote + value + quote
  return canStandBare(value) ? value : undefined
}

function fits(value: string, quote: string): boolean {
  // In double quotes both readers turn \n into a line break; dotenv alone also knows \r.
  return !value.includes(quote) && !(quote === '"' && /\\[nr]/.test(value))
}

function canStandBare(value: string): boolean {
  return value === value.trim() && !/[#\n\u2028\u2029]|^['"`]/.test(value)
}
