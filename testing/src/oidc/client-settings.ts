import { randomUUID } from "node:crypto"
import { registerSecret } from "../leaks.ts"

/** Where people reach the server of a test. Nothing listens there: requests are passed to the app directly. */
export const publicUrl = "http://localhost:3999"

export const clientId = "envkeep"
export const clientSecret = randomUUID()
registerSecret("the secret of a sign-in provider's client", clientSecret)

/** The settings of a server with one provider, named `acme`. */
export function settingsFor(issuer: string, more: Record<string, string> = {}): Record<string, string> {
  return {
    PUBLIC_URL: publicUrl,
    ENVKEEP_OIDC: "acme",
    ENVKEEP_OIDC_ACME_ISSUER: issuer,
    ENVKEEP_OIDC_ACME_CLIENT_ID: clientId,
    ENVKEEP_OIDC_ACME_CLIENT_SECRET: clientSecret,
    ENVKEEP_OIDC_ACME_LABEL: "Acme",
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [`ENVKEEP_OIDC_ACME_${name}`, value])),
  }
}
