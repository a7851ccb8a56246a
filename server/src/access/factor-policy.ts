import type { SecondFactorMode } from "@envkeep/contract"

/** Whether the server's setting asks this account for a second factor. */
export function requiresFactor(mode: SecondFactorMode, isAdmin: boolean): boolean {
  return mode === "all" || (mode === "admins" && isAdmin)
}
