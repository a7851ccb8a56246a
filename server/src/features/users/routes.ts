import { type RegistrationMode, sessions, users } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import { type Http, route } from "../../http/route.ts"
import * as deletion from "./deletion/rules.ts"
import type { Refusals } from "./refusals.ts"
import * as resets from "./resets/rules.ts"
import * as rules from "./rules.ts"
import { endOtherSessions, endSession, listSessions } from "./sessions.ts"

interface Registering {
  refusals: Refusals
  registration: RegistrationMode
}

export function userRoutes(http: Http, core: Core, { refusals, registration }: Registering): void {
  route(http, users.me, (caller) => rules.currentUser(core, caller))
  route(http, users.storage, (caller) => rules.storageOf(core, caller))
  route(http, users.registration, async () => ({ mode: registration }))
  route(http, users.register, async (caller, input, cookies) => {
    const { user, device } = await rules.register(core, registration, caller, input)
    cookies.rememberDevice(device)
    return user
  })
  route(http, users.login, async (caller, input, cookies) => {
    const { user, token, device } = await rules.login(core, refusals, caller, input)
    cookies.beginSession(token)
    cookies.rememberDevice(device)
    return user
  })
  route(http, users.logout, async (caller, _, cookies) => {
    await rules.logout(core, caller)
    cookies.endSession()
    return null
  })
  route(http, users.update, (caller, input) => rules.updateUser(core, caller, input))
  route(http, users.changePassword, async (caller, input) => {
    await rules.changePassword(core, caller, input)
    return null
  })
  route(http, users.deletion, (caller) => deletion.deletionOf(core, caller))
  route(http, users.deleteAccount, async (caller, input, cookies) => {
    await deletion.deleteOwnAccount(core, caller, input)
    cookies.endSession()
    return null
  })
  route(http, sessions.list, (caller) => listSessions(core, caller))
  route(http, sessions.end, (caller, input) => endSession(core, caller, input))
  route(http, sessions.endOthers, (caller) => endOtherSessions(core, caller))
  route(http, users.checkResetLink, async (caller, input) => {
    await resets.checkResetLink(core, caller, input)
    return null
  })
  route(http, users.resetPassword, async (caller, input, cookies) => {
    await resets.resetPassword(core, caller, input)
    cookies.endSession()
    return null
  })
}
