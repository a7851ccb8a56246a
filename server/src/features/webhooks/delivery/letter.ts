import type { Core } from "../../../core/core.ts"
import { openSecret } from "../../../keys/secrets.ts"
import type { DeliveryRow } from "../delivery-rows.ts"
import { messageOf } from "../message.ts"
import type { Letter } from "./send.ts"
import { signatures } from "./sign.ts"
import type { ClaimedWebhook } from "./store.ts"

/** A message as it is sent, signed, or why there is none. */
export async function letterOf(
  { db, vault }: Pick<Core, "db" | "vault">,
  webhook: ClaimedWebhook,
  delivery: DeliveryRow,
  now: number,
): Promise<Letter | "secret_damaged" | "event_gone"> {
  const message = messageOf(delivery)
  if (message === undefined) return "event_gone"

  const key = await vault.dataKey(db, webhook.collectionId, webhook.wrappedKey)
  const { id: webhookId, sealedOldSecret: sealedFormer, oldSecretEndsAt } = webhook
  const open = (sealed: Uint8Array) => openSecret(key, sealed, { kind: "webhook-secret", webhookId })
  const url = openSecret(key, webhook.sealedUrl, { kind: "webhook-url", webhookId })
  const current = open(webhook.sealedSecret)
  if (url === null || current === null) return "secret_damaged"

  const isOldValid = oldSecretEndsAt !== null && oldSecretEndsAt > now
  const former = sealedFormer !== null && isOldValid ? open(sealedFormer) : null
  const { messageId } = delivery
  const body = JSON.stringify(message)
  const seconds = Math.floor(now / 1_000)
  const secrets = former === null ? [current] : [current, former]
  return {
    url: new URL(url),
    headers: {
      "content-type": "application/json",
      "user-agent": "Envkeep-Webhooks",
      "webhook-id": messageId,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signatures(secrets, { messageId, seconds, body }),
    },
    body,
  }
}
