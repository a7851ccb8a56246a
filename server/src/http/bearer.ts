import type { IncomingHttpHeaders } from "node:http"
import type { KeyCaller } from "../access/caller.ts"
import { hashToken, personalTokenPrefix } from "../keys/token.ts"
import { addressBlock } from "./address.ts"
import { clientOf } from "./client.ts"
import { instanceIn } from "./instance.ts"

/** The caller of an `Authorization` header. A missing or malformed header counts as a key that opens nothing. */
export function keyCaller(headers: IncomingHttpHeaders, ip: string): KeyCaller {
  const { authorization, "user-agent": userAgent } = headers
  return {
    kind: "key",
    keyHash: hashToken(bearerOf(authorization) ?? ""),
    address: addressBlock(ip),
    ip,
    lastComparison: undefined,
    client: clientOf(userAgent),
    reads: 0,
    instance: instanceIn(headers),
  }
}

/** The personal token that is sent, whether it is valid or not. What proxies may send for themselves is none. */
export function personalTokenIn({ authorization }: IncomingHttpHeaders): string | undefined {
  const token = bearerOf(authorization)
  return token?.startsWith(personalTokenPrefix) ? token : undefined
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
}
