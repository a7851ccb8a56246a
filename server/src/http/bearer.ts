import type { IncomingHttpHeaders } from "node:http"
import type { KeyCaller } from "../access/caller.ts"
import { hashToken } from "../keys/token.ts"
import { clientOf } from "./client.ts"

/** The caller of an `Authorization` header. A missing or malformed header counts as a key that opens nothing. */
export function keyCaller({ authorization, "user-agent": userAgent }: IncomingHttpHeaders, address: string): KeyCaller {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? ""
  return { kind: "key", keyHash: hashToken(key), address, client: clientOf(userAgent), reads: 0 }
}
