import { useUser } from "../../lib/state.ts"
import { Page } from "../../ui/Page.tsx"
import { ActivitySection } from "./ActivitySection.tsx"
import { ConnectedAccountsSection } from "./ConnectedAccountsSection.tsx"
import { DeletionSection } from "./DeletionSection.tsx"
import { PasswordForm } from "./PasswordForm.tsx"
import { SessionsSection } from "./SessionsSection.tsx"
import { StorageSection } from "./StorageSection.tsx"
import { PasskeysSection } from "./second-factor/PasskeysSection.tsx"
import { SecondFactorSection } from "./second-factor/SecondFactorSection.tsx"
import { TeamsSection } from "./TeamsSection.tsx"
import { TokensSection } from "./TokensSection.tsx"
import { UserForm } from "./UserForm.tsx"
import { ValuesSection } from "./ValuesSection.tsx"
import "./profile.css"

export function ProfileScreen() {
  const user = useUser()
  if (user === null) return null
  return (
    <Page title="Profile" lead={`Logged in as ${user.email}`} narrow>
      <UserForm user={user} />
      <PasswordForm email={user.email} />
      <SecondFactorSection />
      <PasskeysSection />
      <ConnectedAccountsSection />
      <TeamsSection />
      <SessionsSection />
      <TokensSection />
      <ValuesSection />
      <StorageSection />
      <ActivitySection />
      <DeletionSection email={user.email} />
    </Page>
  )
}
