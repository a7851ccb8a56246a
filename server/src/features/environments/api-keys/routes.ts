import { apiKeys } from "@envkeep/contract"
import type { Core } from "../../../core/core.ts"
import { type Http, route } from "../../../http/route.ts"
import { bytesOfLeak } from "./leak/loads.ts"
import { keyLeak } from "./leak/rules.ts"
import * as life from "./life.ts"
import { bytesOfApiKeys } from "./loads.ts"
import * as rules from "./rules.ts"
import { usageOf } from "./usage/rules.ts"

export function apiKeyRoutes(http: Http, core: Core): void {
  route(
    http,
    apiKeys.list,
    (caller) => rules.listApiKeys(core, caller),
    (caller) => bytesOfApiKeys(core, caller),
  )
  route(http, apiKeys.create, (caller, input) => rules.createApiKey(core, caller, input))
  route(http, apiKeys.update, (caller, input) => life.updateApiKey(core, caller, input))
  route(http, apiKeys.disable, (caller, input) => life.disableApiKey(core, caller, input))
  route(http, apiKeys.roll, (caller, input) => life.rollApiKey(core, caller, input))
  route(http, apiKeys.usage, (caller, input) => usageOf(core, caller, input))
  route(
    http,
    apiKeys.leak,
    (caller, input) => keyLeak(core, caller, input),
    (caller, input) => bytesOfLeak(core, caller, input),
  )
  route(http, apiKeys.lastUse, (caller, input) => rules.lastUseOf(core, caller, input))
  route(http, apiKeys.remove, (caller, input) => rules.deleteApiKey(core, caller, input))
}
