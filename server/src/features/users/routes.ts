import { users } from "@envkeep/contract"
import type { Core } from "../../db/core.ts"
import { type Http, route } from "../../http/route.ts"
import type { Refusals } from "./refusals.ts"
import * as resets from "./resets.ts"
import * as rules from "./rules.ts"

export function userRoutes(http: Http, core: Core, refusals: Refusals): void {
  route(http, users.me, (caller) => rules.currentUser(core, caller))
  route(http, users.storage, (caller) => rules.storageOf(core, caller))
  route(http, users.register, async (caller, input, cookies) => {
    const { user, device } = await rules.register(core, caller, input)
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
