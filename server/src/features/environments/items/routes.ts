import { environments, items } from "@envkeep/contract"
import type { Db } from "../../../db/schema.ts"
import { type Http, route } from "../../../http/route.ts"
import type { Vault } from "../../../keys/secrets.ts"
import * as rules from "./rules.ts"

export function itemRoutes(http: Http, db: Db, vault: Vault): void {
  route(http, items.create, (caller, input) => rules.createItem(db, vault, caller, input))
  route(http, items.update, (caller, input) => rules.updateItem(db, vault, caller, input))
  route(http, items.remove, (caller, input) => rules.deleteItem(db, vault, caller, input))
  route(http, environments.saveAll, (caller, input) => rules.saveAllItems(db, vault, caller, input))
}
