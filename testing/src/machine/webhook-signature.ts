import { createHmac } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"

interface Message {
  headers: IncomingHttpHeaders
  body: string
}

/** Whether one of a message's signatures was made with this secret, by the words of the Standard Webhooks specification. */
export function isSignedWith(secret: string, { headers, body }: Message): boolean {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const key = Buffer.from(secret.replace("whsec_", ""), "base64")
  const expected = createHmac("sha256", key).update(signed).digest("base64")
  return String(headers["webhook-signature"]).split(" ").includes(`v1,${expected}`)
}
