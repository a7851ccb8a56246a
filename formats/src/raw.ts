import type { Format, FormatDocs } from "./format.ts"
import { printing } from "./printing.ts"
import { textRefusal, type Variable } from "./variable.ts"

export const raw = {
  name: "raw",
  label: "Raw text",
  mediaType: "text/plain; charset=utf-8",
  fileEnding: ".txt",
  readers: "Envkeep's own bulk editor",
  ...printing({
    refusal: (variable) => textRefusal(variable) ?? nameRefusal(variable.name) ?? rawRefusal(variable.value),
    write: rawLine,
  }),
  parse: (text: string) => ({ variables: parseRaw(text), faults: [] }),
} as const satisfies Format

export const docs: FormatDocs = {
  example: "`envkeep print --format raw`",
  names: "no `=`, no line break, no space at either end",
  values: "no line break, no carriage return at the end",
  limits: ["There are no quotes, escapes or comments: everything after the first `=` is the value."],
}

/**
 * Reads `name=value` lines, split at the first equals sign. Lines without a name are dropped. A line without an equals
 * sign is a name with an empty value. A carriage return at the end of a line is not part of the value.
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

/** Why a line cannot hold a value, or undefined when it can. */
export function rawRefusal(value: string): string | undefined {
  if (value.includes("\n")) return "its value has a line break"
  if (value.endsWith("\r")) return "its value ends in a carriage return"
  return undefined
}

/** One `name=value` line per variable, unchecked: leave out the values that `rawRefusal` refuses, or they come back changed. */
export function printRaw(variables: Variable[]): string {
  return variables.map(rawLine).join("")
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
