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

/** What was read, and the lines that could not be. */
export interface Parsed {
  variables: Variable[]
  faults: { line: number; reason: string }[]
}

export type Printed = { text: string } | { refused: Refused[] }

/** What shells and systemd take for a name. */
export const identifier = /^[A-Za-z_][A-Za-z0-9_]*$/

/** The whole text, or every variable that cannot be in it: what would come back changed is never written. */
export function printAll(
  variables: Variable[],
  refusal: (variable: Variable) => string | undefined,
  write: (variable: Variable) => string,
): Printed {
  const refused = variables.flatMap((variable) => {
    const reason = refusal(variable)
    return reason === undefined ? [] : [{ name: variable.name, reason }]
  })
  return refused.length > 0 ? { refused } : { text: variables.map(write).join("") }
}

/** What no UTF-8 text can carry. */
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
