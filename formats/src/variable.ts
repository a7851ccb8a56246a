/** One variable. Lists of them keep their order, which an object would not for names like "1". */
export interface Variable {
  name: string
  value: string
}

/** A variable that a format cannot hold, and why: a clause such as "its value has a line break". */
export interface Refused {
  name: string
  reason: string
}

/** The variables in a text, and the lines that could not be read. */
export interface Parsed {
  variables: Variable[]
  faults: { line: number; reason: string }[]
}

export type Printed = { text: string } | { refused: Refused[] }

/** Prints a text in pieces. All pieces one after the other are the text, unless `end` says what is refused. */
export interface Printer {
  add(variable: Variable): string
  end(): Printed
}

/** The names that shells and systemd accept. */
export const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** What UTF-8 cannot encode. */
export function textRefusal({ name, value }: Variable): string | undefined {
  if (!name.isWellFormed()) return "its name has half a surrogate pair"
  if (!value.isWellFormed()) return "its value has half a surrogate pair"
  return undefined
}

/** What no process can have in its environment. */
export function environmentRefusal(variable: Variable): string | undefined {
  if (variable.name.includes("\0")) return "its name has a NUL character"
  if (variable.value.includes("\0")) return "its value has a NUL character"
  return textRefusal(variable)
}
