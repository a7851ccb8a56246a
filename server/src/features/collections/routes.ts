import { collections } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { type Http, route } from "../../http/route.ts"
import type { Vault } from "../../keys/secrets.ts"
import * as rules from "./rules.ts"

export function collectionRoutes(http: Http, db: Db, vault: Vault): void {
  route(http, collections.list, (caller) => rules.listCollections(db, caller))
  route(http, collections.get, (caller, input) => rules.getCollection(db, vault, caller, input))
  route(http, collections.create, (caller, input) => rules.createCollection(db, vault, caller, input))
  route(http, collections.update, (caller, input) => rules.updateCollection(db, caller, input))
  route(http, collections.remove, (caller, input) => rules.deleteCollection(db, caller, input))
}
