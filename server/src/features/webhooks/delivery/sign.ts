import { createHmac } from "node:crypto"
import { webhookSecretPrefix } from "../../../keys/token.ts"

interface Signed {
  messageId: string
  /** When it is sent. */
  seconds: number
  body: string
}

/**
 * The header `webhook-signature` of the Standard Webhooks specification. With several secrets it has several signatures,
 * and a receiver accepts the message if one of them is right.
 */
export function signatures(secrets: readonly string[], signed: Signed): string {
  return secrets.map((secret) => `v1,${signature(secret, signed)}`).join(" ")
}

function signature(secret: string, { messageId, seconds, body }: Signed): string {
  const key = Buffer.from(secret.slice(webhookSecretPrefix.length), "base64")
  return createHmac("sha256", key).update(`${messageId}.${seconds}.${body}`).digest("base64")
}
