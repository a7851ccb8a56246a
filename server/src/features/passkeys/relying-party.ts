import { isIP } from "node:net"
import { sentences } from "@envkeep/contract"
import { invalid } from "../../errors.ts"

/** How the server is reached: by which origin, if it is configured, and by which host. */
export interface Site {
  publicOrigin: string | undefined
  host: string
}

/** What passkeys are made for. A passkey of one host does not work at another. */
export interface RelyingParty {
  /** A host, without a port. */
  id: string
  /** Where passkeys may be used. */
  origins: string[]
}

/**
 * Without a configured origin, the host of the request decides. A client can claim any host, but not for long: the
 * browser signs the address that it sees, and a passkey of another host never signs for this one.
 */
export function relyingPartyAt({ publicOrigin, host }: Site): RelyingParty {
  const origins = publicOrigin === undefined ? originsOf(host) : [publicOrigin]
  const id = origins[0] === undefined ? "" : new URL(origins[0]).hostname
  if (id === "" || id.startsWith("[") || isIP(id) !== 0) throw invalid(sentences.passkeysNeedHostName)
  return { id, origins }
}

/** Browsers offer passkeys on https pages, and on pages of their own machine. */
function originsOf(host: string): string[] {
  const [secure, plain] = [`https://${host}`, `http://${host}`]
  if (!URL.canParse(secure)) return []
  const { hostname, origin } = new URL(secure)
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  return isLocal ? [new URL(plain).origin, origin] : [origin]
}

interface Described {
  credentialId: string
  host: string
  transports: string
}

/** Passkeys in the form that browsers expect, without those of other hosts. */
export function descriptorsAt(passkeys: readonly Described[], { id }: RelyingParty) {
  return passkeys
    .filter(({ host }) => host === id)
    .map(({ credentialId, transports }) => ({
      id: credentialId,
      transports: transports === "" ? [] : transports.split(","),
    }))
}
