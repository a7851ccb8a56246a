import { pageAfter } from "@envkeep/contract"
import { heldCliCode } from "./held-cli-code.ts"
import { heldInvitation } from "./held-invitation.ts"

/** What made the user log in: an invitation, a login of the command, or the page that the login page's address names. */
export function pageAfterLogin(search = ""): string {
  if (heldInvitation() !== undefined) return "/invitation"
  if (heldCliCode() !== undefined) return "/cli/confirm"
  return pageAfter(new URLSearchParams(search).get("to"))
}
