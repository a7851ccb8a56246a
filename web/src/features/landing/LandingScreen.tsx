import { clientIntegrity } from "../../lib/client-package.ts"
import { copy } from "../../lib/clipboard.ts"
import { contactUrl } from "../../lib/contact.ts"
import { canRegister } from "../../lib/registration.ts"
import { useUser } from "../../lib/state.ts"
import { guestStart, Landing, landingTitle } from "./Landing.tsx"

/** The landing page inside the app: for signed-in users, and for guests who come back to it from another screen. */
export function LandingScreen() {
  const start =
    useUser() === null ? guestStart(canRegister()) : { to: "/collection/dashboard", label: "Open your dashboard" }
  const facts = { origin: location.origin, clientIntegrity: clientIntegrity(), contactUrl: contactUrl(), start }
  return (
    <>
      <title>{landingTitle}</title>
      <Landing facts={facts} onCopy={copy} />
    </>
  )
}
