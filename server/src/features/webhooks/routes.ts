import { webhooks } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import type { AddressPolicy } from "./delivery/addresses.ts"
import * as queue from "./queue/rules.ts"
import * as rules from "./rules.ts"

export function webhookRoutes(http: Http, core: Core, policy: AddressPolicy): void {
  route(http, webhooks.list, (caller, input) => rules.listWebhooks(core, caller, input))
  route(http, webhooks.create, (caller, input) => rules.createWebhook(core, caller, input, policy))
  route(http, webhooks.update, (caller, input) => rules.updateWebhook(core, caller, input, policy))
  route(http, webhooks.remove, (caller, input) => rules.deleteWebhook(core, caller, input))
  route(http, webhooks.rotateSecret, (caller, input) => rules.rotateSecret(core, caller, input))
  route(http, webhooks.test, (caller, input) => queue.sendTest(core, caller, input))
  route(http, webhooks.deliveries, (caller, input) => queue.listDeliveries(core, caller, input))
  route(http, webhooks.redeliver, (caller, input) => queue.redeliver(core, caller, input))
}
