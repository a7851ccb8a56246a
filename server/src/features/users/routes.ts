import { users } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function userRoutes(http: Http, db: Db): void {
  route(http, users.me, (visitor) => rules.currentUser(db, visitor))
  route(http, users.register, async (visitor, input, cookies) => {
    const { user, device } = await rules.register(db, visitor, input)
    cookies.knowDevice(device)
    return user
  })
  route(http, users.login, async (visitor, input, cookies) => {
    const { user, token, device } = await rules.login(db, visitor, input)
    cookies.beginSession(token)
    cookies.knowDevice(device)
    return user
  })
  route(http, users.logout, async (caller, _, cookies) => {
    await rules.logout(db, caller)
    cookies.endSession()
    return null
  })
  route(http, users.update, (caller, input) => rules.updateUser(db, caller, input))
  route(http, users.changePassword, async (caller, input) => {
    await rules.changePassword(db, caller, input)
    return null
  })
}
