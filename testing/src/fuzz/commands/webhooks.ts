import { type Call, sentences, webhooks } from "@envkeep/contract"
import fc from "fast-check"
import { commandsAbout, commandsFor, notFound, refused } from "../model/command.ts"
import { idOf } from "../model/draw.ts"

// The model has no webhooks: nothing is sent while it is compared with the server. So only what is not there is asked for.

const ofNone = (call: Call) => commandsAbout("collection", call, { refusal: () => notFound("Webhook") })

export const webhooksCommands = {
  list: commandsAbout("collection", webhooks.list, { data: () => [] }),
  create: commandsFor(webhooks.create, {
    fields: { id: idOf("collection"), url: fc.constant("http://127.0.0.1/") },
    // Whatever the collection: it is refused before anything is looked up.
    refusal: () => refused(400, sentences.webhookAddressRefused),
  }),
  update: ofNone(webhooks.update),
  remove: ofNone(webhooks.remove),
  rotateSecret: ofNone(webhooks.rotateSecret),
  test: ofNone(webhooks.test),
  deliveries: ofNone(webhooks.deliveries),
  redeliver: ofNone(webhooks.redeliver),
}
