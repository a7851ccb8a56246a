/** `${A}`, `$A`, `$(A)`, and `\$`, in which other programs take away the backslash, and the quotes of bash. */
const dollar = /\$[A-Za-z_{(]|\\\$|^\$'/
/** A secret of 1Password, wherever it stands. */
const address = /\bop:\/\/\S/

/** Whether the program that a value was written for would put something else in its place. */
export function isReference(value: string): boolean {
  return dollar.test(value) || address.test(value)
}

export function isAddress(value: string): boolean {
  return address.test(value)
}

/** The property of an entry. */
export function hasReference(value: string): { hasReference?: true } {
  return isReference(value) ? { hasReference: true } : {}
}
