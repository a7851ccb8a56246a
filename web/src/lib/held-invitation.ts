/*
 * The secret of an invitation that a guest has opened. They register or log in first, which leaves the page of the
 * invitation. It is only in memory: never in an address, and in nothing that the browser stores.
 */
let held: string | undefined

export function heldInvitation(): string | undefined {
  return held
}

export function holdInvitation(secret: string): void {
  held = secret
}

export function dropInvitation(): void {
  held = undefined
}
