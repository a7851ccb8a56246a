import { type Printed, printAll, textRefusal, type Variable } from "./variable.ts"

/** A parser need not look further than this for the colon behind a name. */
const longestName = 1024

/** A mapping of strings. Both sides are always quoted: unquoted, `NO`, `1e3` or `null` would be no strings. */
export function printYaml(variables: Variable[]): Printed {
  const printed = printAll(variables, refusal, ({ name, value }) => `${yamlString(name)}: ${yamlString(value)}\n`)
  return variables.length === 0 ? { text: "{}\n" } : printed
}

function refusal(variable: Variable): string | undefined {
  return (
    textRefusal(variable) ??
    (yamlString(variable.name).length > longestName ? "its name is too long for a key" : undefined)
  )
}

/** JSON's strings are YAML's, but for characters that YAML wants escaped or that older parsers take for line breaks. */
export function yamlString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
}
