import { members } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"
import * as teams from "./teams.ts"
import * as transfer from "./transfer/rules.ts"

export function memberRoutes(http: Http, core: Core): void {
  route(http, members.list, (caller, input) => rules.listMembers(core, caller, input))
  route(http, members.add, (caller, input) => rules.addMember(core, caller, input))
  route(http, members.change, (caller, input) => rules.changeMember(core, caller, input))
  route(http, members.remove, (caller, input) => rules.removeMember(core, caller, input))
  route(http, members.leave, (caller, input) => rules.leaveCollection(core, caller, input))
  route(http, members.transfer, (caller, input) => transfer.requestTransfer(core, caller, input))
  route(http, members.takeOver, (caller, input) => transfer.takeOver(core, caller, input))
  route(http, members.endTransfer, (caller, input) => transfer.endTransferRequest(core, caller, input))
  route(http, members.transferRequests, (caller) => transfer.listTransferRequests(core, caller))
  route(http, members.shareWithTeam, (caller, input) => teams.addTeam(core, caller, input))
  route(http, members.changeTeam, (caller, input) => teams.changeTeam(core, caller, input))
  route(http, members.removeTeam, (caller, input) => teams.removeTeam(core, caller, input))
}
