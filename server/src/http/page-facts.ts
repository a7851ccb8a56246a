import type { RegistrationMode, SignInProvider } from "@envkeep/contract"
import { escapeHtml } from "../escape-html.ts"

/** What only the running server knows, and its pages say. */
export interface PageFacts {
  contactUrl: string | undefined
  clientIntegrity: string | undefined
  registration: RegistrationMode
  providers: SignInProvider[]
  sendsMail: boolean
}

/** A page with what the app reads from it. */
export function withMetas(html: string, facts: PageFacts): string {
  const metas = [
    ["envkeep-contact-url", facts.contactUrl],
    ["envkeep-client-integrity", facts.clientIntegrity],
    ["envkeep-registration", facts.registration],
    ["envkeep-sign-in-providers", JSON.stringify(facts.providers)],
    ["envkeep-mail", facts.sendsMail ? "on" : ""],
  ] as const
  return metas.reduce((page, [name, content = ""]) => withMeta(page, name, content), html)
}

function withMeta(html: string, name: string, content: string): string {
  const tag = `<meta name="${name}" content=`
  return html.replace(`${tag}""`, () => `${tag}"${escapeHtml(content)}"`)
}
