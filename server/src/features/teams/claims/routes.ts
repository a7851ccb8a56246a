import { claimedTeams } from "@envkeep/contract"
import type { Core } from "../../../core/core.ts"
import { type Http, route } from "../../../http/route.ts"
import * as rules from "./rules.ts"

/** `hasClaim`: a sign-in provider names teams. */
export function claimedTeamRoutes(http: Http, core: Core, hasClaim: boolean): void {
  route(http, claimedTeams.list, () => rules.listClaimedTeams(core, hasClaim))
  route(http, claimedTeams.tie, (caller, input) => rules.tie(core, caller, input))
  route(http, claimedTeams.untie, (caller, input) => rules.untie(core, caller, input))
}
