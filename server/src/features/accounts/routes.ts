import { accounts } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function accountRoutes(http: Http, core: Core): void {
  route(http, accounts.list, (_, input) => rules.list(core, input))
  route(http, accounts.disable, async (caller, { id }) => {
    await rules.disable(core, caller, id)
    return null
  })
  route(http, accounts.enable, async (caller, { id }) => {
    await rules.enable(core, caller, id)
    return null
  })
  route(http, accounts.endSessions, async (caller, { id }) => {
    await rules.endSessions(core, caller, id)
    return null
  })
  route(http, accounts.createResetLink, (caller, { id }) => rules.createResetLink(core, caller, id))
  route(http, accounts.createFactorLink, (caller, { id }) => rules.createLostFactorLink(core, caller, id))
  route(http, accounts.grantAdmin, async (caller, { id }) => {
    await rules.changeAdmin(core, caller, id, true)
    return null
  })
  route(http, accounts.revokeAdmin, async (caller, { id }) => {
    await rules.changeAdmin(core, caller, id, false)
    return null
  })
}
