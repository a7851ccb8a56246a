import { apiKeys } from "@envkeep/contract"
import type { Core } from "../../../db/core.ts"
import { type Http, route } from "../../../http/route.ts"
import * as rules from "./rules.ts"

export function apiKeyRoutes(http: Http, core: Core): void {
  route(http, apiKeys.list, (caller, _, { holdBytes }) => rules.listApiKeys(core, caller, holdBytes))
  route(http, apiKeys.create, (caller, input) => rules.createApiKey(core, caller, input))
  route(http, apiKeys.lastUse, (caller, input) => rules.lastUseOf(core, caller, input))
  route(http, apiKeys.remove, (caller, input) => rules.deleteApiKey(core, caller, input))
}
