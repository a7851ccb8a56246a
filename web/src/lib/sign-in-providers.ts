import { SignInProvider } from "@envkeep/contract"
import { z } from "zod"

/** The providers that people can sign in with. The server writes them into the page. */
export function signInProviders(): SignInProvider[] {
  const written = document.querySelector<HTMLMetaElement>('meta[name="envkeep-sign-in-providers"]')?.content
  return written ? z.array(SignInProvider).parse(JSON.parse(written)) : []
}
