import { users } from "@envkeep/contract"
import type { Db } from "../../db/schema.ts"
import { type Http, route } from "../../http/route.ts"
import * as rules from "./rules.ts"

export function userRoutes(http: Http, db: Db): void {
  route(http, users.me, (visitor) => rules.currentUser(db, visitor))
  route(http, users.register, (visitor, input) => rules.register(db, visitor, input))
  route(http, users.login, async (visitor, input, cookie) => {
    const { user, token } = await rules.login(db, visitor, input)
    cookie.set(token)
    return user
  })
  route(http, users.logout, async (caller, _, cookie) => {
    await rules.logout(db, caller)
    cookie.clear()
    return null
  })
  route(http, users.update, (caller, input) => rules.updateUser(db, caller, input))
  route(http, users.changePassword, async (caller, input) => {
    await rules.changePassword(db, caller, input)
    return null
  })
}
