import { isIP } from "node:net"
import type { Site } from "../../access/site.ts"
import type { Reader } from "../../db/schema.ts"
import * as store from "./store.ts"

// A passkey works at the host that it was made for, and nowhere else. Whether an account has a second factor must not
// depend on that: without a configured origin, a client can claim any host, and would get past the second step.

/** What passkeys are made for. A passkey of one host does not work at another. */
export interface RelyingParty {
  /** A host, without a port. */
  id: string
  /** Where passkeys may be used. */
  origins: string[]
}

/**
 * Without a configured origin, the host of the request decides. A client can claim any host, but not for long: the
 * browser signs the address that it sees, and a passkey of another host never signs for this one. Undefined at an IP address,
 * where no passkey works.
 */
export function partyAt({ publicOrigin, host }: Site): RelyingParty | undefined {
  const origins = publicOrigin === undefined ? originsOf(host) : [publicOrigin]
  const id = origins[0] === undefined ? "" : new URL(origins[0]).hostname
  return id === "" || id.startsWith("[") || isIP(id) !== 0 ? undefined : { id, origins }
}

/** Browsers offer passkeys on https pages, and on pages of their own machine. */
function originsOf(host: string): string[] {
  const [secure, plain] = [`https://${host}`, `http://${host}`]
  if (!URL.canParse(secure)) return []
  const { hostname, origin } = new URL(secure)
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost")
  return isLocal ? [new URL(plain).origin, origin] : [origin]
}

/** Whether a passkey of the account works at this site. */
export async function hasPasskeyAt(db: Reader, userId: number, site: Site): Promise<boolean> {
  const party = partyAt(site)
  return party !== undefined && (await store.hasPasskeyOf(db, userId, party.id))
}

/** Whether the account can sign in with a passkey. Without a configured origin, the server may have any name. */
export async function canUsePasskey(db: Reader, userId: number, publicOrigin: string | undefined): Promise<boolean> {
  if (publicOrigin === undefined) return (await store.factorsOf(db, userId)).passkeys > 0
  return hasPasskeyAt(db, userId, { publicOrigin, host: "" })
}
