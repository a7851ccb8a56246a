import type { Invitation } from "@envkeep/contract"
import type { InvitationRow } from "./store.ts"

/**
 * An invitation is as good as revoked while its inviter could not make it: their role was taken away, their account is
 * disabled, or the collection is in the trash.
 */
export function stateOf(row: InvitationRow, mayStillInvite: boolean): Invitation["state"] {
  if (row.revokedAt !== null || !mayStillInvite) return "revoked"
  if (row.uses >= row.maxUses) return "used"
  return row.expiresAt <= Date.now() ? "expired" : "open"
}
