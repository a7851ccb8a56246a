import { apiKeys } from "@envkeep/contract"
import type { Db } from "../../../db/schema.ts"
import { type Http, route } from "../../../http/route.ts"
import type { Vault } from "../../../keys/secrets.ts"
import * as rules from "./rules.ts"

export function apiKeyRoutes(http: Http, db: Db, vault: Vault): void {
  route(http, apiKeys.list, (caller) => rules.listApiKeys(db, vault, caller))
  route(http, apiKeys.create, (caller, input) => rules.createApiKey(db, vault, caller, input))
  route(http, apiKeys.remove, (caller, input) => rules.deleteApiKey(db, caller, input))
}
