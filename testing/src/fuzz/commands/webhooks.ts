import { sentences, webhooks } from "@envkeep/contract"
import fc, { type Arbitrary } from "fast-check"
import { commandsFor, type Expected, notFound, refused } from "../model/command.ts"
import * as draw from "../model/draw.ts"
import type { CallInput } from "../model/request.ts"

// The model has no webhooks: nothing is sent while it is compared with the server. So only what is not there is asked for.

const missing = notFound("Collection")

function onNone(call: Parameters<typeof commandsFor>[0], body?: Arbitrary<unknown>) {
  return commandsFor(call, {
    draw: fc.record({ at: draw.picked, body: body ?? fc.constant(undefined) }),
    request: ({ model, account }, { at, body }): CallInput => ({
      id: draw.resolve(model, account, "collection", at),
      ids: { webhookId: 1_000_000_000, deliveryId: 1_000_000_000 },
      ...(body === undefined ? {} : { body }),
    }),
    expected({ account }, _, { id = 0 }): Expected {
      return account?.collections.has(id) ? notFound("Webhook") : missing
    },
  })
}

export const webhooksCommands = {
  list: commandsFor(webhooks.list, {
    expected: ({ account }, _, { id = 0 }) => (account.collections.has(id) ? { data: () => [] } : missing),
  }),
  create: commandsFor(webhooks.create, {
    draw: fc.record({ at: draw.picked }),
    request: ({ model, account }, { at }) => ({
      id: draw.resolve(model, account, "collection", at),
      body: { url: "http://127.0.0.1/" },
    }),
    // Whatever the collection: it is refused before anything is looked up.
    expected: () => refused(400, sentences.webhookAddressRefused),
  }),
  update: onNone(webhooks.update, fc.constant({ description: "x" })),
  remove: onNone(webhooks.remove),
  rotateSecret: onNone(webhooks.rotateSecret, fc.constant({ overlapHours: 24 })),
  test: onNone(webhooks.test),
  deliveries: onNone(webhooks.deliveries),
  redeliver: onNone(webhooks.redeliver),
}
