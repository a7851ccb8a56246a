import type { IncomingHttpHeaders } from "node:http"
import type { KeyCaller } from "../access/caller.ts"
import { hashToken } from "../keys/token.ts"

/** Longer ones say nothing about the program that is worth the memory. Not cut: a part would keep the whole in memory. */
const maxUserAgentLength = 256

/** The caller of an `Authorization` header. A missing or malformed header counts as a key that opens nothing. */
export function keyCaller({ authorization, "user-agent": userAgent }: IncomingHttpHeaders): KeyCaller {
  const key = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1] ?? ""
  const isShort = userAgent !== undefined && userAgent.length <= maxUserAgentLength
  return { kind: "key", keyHash: hashToken(key), userAgent: isShort ? userAgent : undefined }
}
