import { invitations, mailCalls } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as making from "./making.ts"
import * as rules from "./rules.ts"

export function invitationRoutes(http: Http, core: Core): void {
  route(http, invitations.listOfCollection, (caller, input) => making.listOfCollection(core, caller, input))
  route(http, invitations.revokeOfCollection, (caller, input) => making.revokeOfCollection(core, caller, input))
  route(http, invitations.listOfTeam, (caller, input) => making.listOfTeam(core, caller, input))
  route(http, invitations.revokeOfTeam, (caller, input) => making.revokeOfTeam(core, caller, input))
  route(http, invitations.listOfServer, (caller) => making.listOfServer(core, caller))
  route(http, invitations.revokeOfServer, (caller, input) => making.revokeOfServer(core, caller, input))
  route(http, invitations.look, (caller, input) => rules.checkInvitation(core, caller, input))
  route(http, invitations.accept, (caller, input) => rules.acceptInvitation(core, caller, input))
  const { inviteToCollection, inviteToTeam, inviteToServer } = mailCalls.invitations
  if (core.mail === undefined) {
    route(http, invitations.inviteToCollection, (caller, input) => making.inviteToCollection(core, caller, input))
    route(http, invitations.inviteToTeam, (caller, input) => making.inviteToTeam(core, caller, input))
    route(http, invitations.inviteToServer, (caller, input) => making.inviteToServer(core, caller, input))
  } else {
    route(http, inviteToCollection, (caller, input) => making.inviteToCollection(core, caller, input))
    route(http, inviteToTeam, (caller, input) => making.inviteToTeam(core, caller, input))
    route(http, inviteToServer, (caller, input) => making.inviteToServer(core, caller, input))
  }
}
