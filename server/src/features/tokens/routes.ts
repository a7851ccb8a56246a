import { tokens } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function tokenRoutes(http: Http, core: Core): void {
  route(http, tokens.list, (caller) => rules.listTokens(core, caller))
  route(http, tokens.create, (caller, input) => rules.createToken(core, caller, input))
  route(http, tokens.revoke, (caller, input) => rules.revokeToken(core, caller, input))
}
