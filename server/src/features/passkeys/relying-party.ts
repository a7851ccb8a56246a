import { sentences } from "@envkeep/contract"
import type { Site } from "../../access/site.ts"
import { invalid } from "../../errors.ts"
import { partyAt, type RelyingParty } from "../second-factors/passkey-hosts.ts"

/** Refuses an IP address, which cannot have passkeys. */
export function relyingPartyAt(site: Site): RelyingParty {
  const party = partyAt(site)
  if (party === undefined) throw invalid(sentences.passkeysNeedHostName)
  return party
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
