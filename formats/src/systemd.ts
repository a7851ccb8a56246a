import { environmentRefusal, identifier, type Printed, printAll, type Variable } from "./variable.ts"

// Double quotes with the four escapes that systemd has always taken back. They are a shell's too, so that nothing
// in a value runs even where a script sources the file.

/** systemd drops a variable with one of these; tab and line break are the control characters it allows. */
const control = /(?![\t\n\u0080-\u009f])\p{Cc}/u

/** systemd takes these for broken UTF-8 and then refuses the whole file. */
const nonCharacter = /\p{Noncharacter_Code_Point}/u

export function printSystemd(variables: Variable[]): Printed {
  return printAll(variables, refusal, ({ name, value }) => `${name}="${value.replace(/["\\`$]/g, "\\$&")}"\n`)
}

function refusal(variable: Variable): string | undefined {
  const { name, value } = variable
  const never = environmentRefusal(variable)
  if (never !== undefined) return never
  if (!identifier.test(name)) return "its name is no identifier"
  if (control.test(value)) return "its value has a control character"
  if (nonCharacter.test(value)) return "its value has a Unicode noncharacter"
  return undefined
}
