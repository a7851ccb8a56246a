import { type RegistrationMode, registrationModes } from "@envkeep/contract"
import { heldInvitation } from "./held-invitation.ts"

/** Who can make an account on this server, which writes it into the page. */
export function registrationMode(): RegistrationMode {
  const written = document.querySelector<HTMLMetaElement>('meta[name="envkeep-registration"]')?.content
  return registrationModes.find((mode) => mode === written) ?? "open"
}

/** Whether the person in front of this browser can make an account. */
export function canRegister(): boolean {
  const mode = registrationMode()
  return mode === "open" || (mode === "invited" && heldInvitation() !== undefined)
}
