import { cliLogins } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function cliLoginRoutes(http: Http, core: Core): void {
  route(http, cliLogins.begin, (caller, input) => rules.beginLogin(core, caller, input))
  route(http, cliLogins.poll, (caller, input) => rules.pollLogin(core, caller, input))
  route(http, cliLogins.look, (caller, input) => rules.lookAtLogin(core, caller, input))
  route(http, cliLogins.approve, (caller, input) => rules.approveLogin(core, caller, input))
  route(http, cliLogins.deny, (caller, input) => rules.denyLogin(core, caller, input))
  route(http, cliLogins.token, (caller) => rules.usedToken(core, caller))
  route(http, cliLogins.logout, (caller) => rules.revokeUsedToken(core, caller))
}
