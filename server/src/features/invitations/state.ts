import type { Invitation } from "@envkeep/contract"
import type { InvitationRow } from "./store.ts"

/**
 * An invitation is paused while its inviter could not make it: their role was taken away, their account is disabled, or the
 * collection is in the trash. All of these can be undone, and no one has revoked it.
 */
export function stateOf(row: InvitationRow, mayStillInvite: boolean): Invitation["state"] {
  if (row.revokedAt !== null) return "revoked"
  if (row.uses >= row.maxUses) return "used"
  if (row.expiresAt <= Date.now()) return "expired"
  return mayStillInvite ? "open" : "paused"
}
