/*
 * The code of a login of the command that a guest has opened. They log in first, which leaves the page that confirms it. It
 * is only in memory, and empty if the page was opened without a code.
 */
let held: string | undefined

export function heldCliCode(): string | undefined {
  return held
}

export function holdCliCode(code: string): void {
  held = code
}

export function dropCliCode(): void {
  held = undefined
}
