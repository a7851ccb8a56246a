import type { RegistrationMode } from "@envkeep/contract"
import { registrationMode } from "../../lib/registration.ts"
import { Breadcrumb } from "../../ui/Breadcrumb.tsx"
import { Page } from "../../ui/Page.tsx"
import { InvitationSection } from "./InvitationSection.tsx"

/** What invitations are for, which depends on who can register without one. */
const leads: Record<RegistrationMode, string> = {
  open: "Anyone can register on this server, so no one needs an invitation to make an account.",
  invited: "Only people with an invitation can make an account on this server.",
  closed: "Registration is closed on this server: invitations do not help to make an account.",
}

export function ServerInvitationsScreen() {
  const mode = registrationMode()
  return (
    <Page
      title="Invitations"
      lead={leads[mode]}
      breadcrumb={<Breadcrumb to="/admin/dashboard">Admin Dashboard</Breadcrumb>}
      narrow
    >
      <InvitationSection scope={{ of: "server" }} canInvite={mode !== "closed"} />
    </Page>
  )
}
