import { type Printed, printAll, textRefusal, type Variable } from "./variable.ts"

/**
 * Reads `name=value` lines, split at the first equals sign. Lines without a name are dropped; a line without an equals
 * sign is a name with an empty value; a carriage return at the end of a line is not part of the value.
 */
export function parseRaw(text: string): Variable[] {
  return text
    .split("\n")
    .map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line))
    .map((line) => {
      const at = line.indexOf("=")
      return at === -1
        ? { name: line.trim(), value: "" }
        : { name: line.slice(0, at).trim(), value: line.slice(at + 1) }
    })
    .filter(({ name }) => name !== "")
}

/** Why `raw` cannot hold a value, or nothing when it can. */
export function rawRefusal(value: string): string | undefined {
  if (value.includes("\n")) return "its value has a line break"
  if (value.endsWith("\r")) return "its value ends in a carriage return"
  return undefined
}

/** Writes one `name=value` line for each variable. Leave out first what `rawRefusal` names: it would not come back. */
export function printRaw(variables: Variable[]): string {
  return variables.map(rawLine).join("")
}

/** As `printRaw`, with names held to what `parseRaw` gives back. */
export function printCheckedRaw(variables: Variable[]): Printed {
  return printAll(
    variables,
    (variable) => textRefusal(variable) ?? nameRefusal(variable.name) ?? rawRefusal(variable.value),
    rawLine,
  )
}

function rawLine({ name, value }: Variable): string {
  return `${name}=${value}\n`
}

function nameRefusal(name: string): string | undefined {
  if (name === "") return "its name is empty"
  if (name !== name.trim()) return "its name begins or ends with a space"
  if (name.includes("=")) return "its name has an equals sign"
  if (name.includes("\n")) return "its name has a line break"
  return undefined
}
