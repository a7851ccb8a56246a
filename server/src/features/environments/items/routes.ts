import { environments, items } from "@envkeep/contract"
import type { Core } from "../../../core/core.ts"
import { type Http, route } from "../../../http/route.ts"
import * as rules from "./rules.ts"

export function itemRoutes(http: Http, core: Core): void {
  route(http, items.create, (caller, input) => rules.createItem(core, caller, input))
  route(http, items.update, (caller, input) => rules.updateItem(core, caller, input))
  route(http, items.remove, (caller, input) => rules.deleteItem(core, caller, input))
  route(http, items.saveMany, (caller, input) => rules.saveItems(core, caller, input))
  route(http, environments.saveAll, (caller, input) => rules.saveAllItems(core, caller, input))
}
