import { teams } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function teamRoutes(http: Http, core: Core): void {
  route(http, teams.list, (caller) => rules.listTeams(core, caller))
  route(http, teams.create, (caller, input) => rules.createTeam(core, caller, input))
  route(http, teams.get, (caller, input) => rules.getTeam(core, caller, input))
  route(http, teams.rename, (caller, input) => rules.renameTeam(core, caller, input))
  route(http, teams.remove, (caller, input) => rules.deleteTeam(core, caller, input))
  route(http, teams.addMember, (caller, input) => rules.addMember(core, caller, input))
  route(http, teams.changeMember, (caller, input) => rules.changeMember(core, caller, input))
  route(http, teams.removeMember, (caller, input) => rules.removeMember(core, caller, input))
  route(http, teams.leave, (caller, input) => rules.leaveTeam(core, caller, input))
}
