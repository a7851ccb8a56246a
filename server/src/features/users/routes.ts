import {
  mailCalls,
  type RegistrationMode,
  type SecondFactorMode,
  secondFactors,
  sessions,
  users,
} from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import type { Answering } from "../../http/answering.ts"
import { type Http, route } from "../../http/route.ts"
import * as deletion from "./deletion/rules.ts"
import { askForLink } from "./forgotten/rules.ts"
import type { Refusals } from "./refusals.ts"
import * as resets from "./resets/rules.ts"
import * as rules from "./rules.ts"
import { type SignedIn, signInWithCode, signInWithLink, signInWithRecoveryCode } from "./second-step.ts"
import { endOtherSessions, endSession, listSessions } from "./sessions/rules.ts"

interface Registering {
  refusals: Refusals
  mode: SecondFactorMode
  registration: RegistrationMode
}

export function userRoutes(http: Http, core: Core, { refusals, mode, registration }: Registering): void {
  route(http, users.me, (caller) => rules.currentUser(core, caller))
  route(http, users.storage, (caller) => rules.storageOf(core, caller))
  route(http, users.registration, async () => ({ mode: registration }))
  route(http, users.register, async (caller, input, cookies) => {
    const { user, device } = await rules.register(core, registration, caller, input)
    cookies.rememberDevice(device)
    return user
  })
  route(http, users.login, async (caller, input, cookies) => {
    const login = await rules.login({ core, refusals, mode, site: cookies.site }, caller, input)
    if ("pending" in login) {
      cookies.beginSignIn(login.pending.token)
      throw login.pending.refusal
    }
    const { user, token, device } = login
    cookies.beginSession(token)
    cookies.rememberDevice(device)
    return user
  })
  const step = { core, refusals, mode }
  route(http, secondFactors.signInWithCode, async (caller, input, cookies) =>
    finish(cookies, await signInWithCode(step, caller, cookies.pendingSignIn, input)),
  )
  route(http, secondFactors.signInWithRecoveryCode, async (caller, input, cookies) =>
    finish(cookies, await signInWithRecoveryCode(step, caller, cookies.pendingSignIn, input)),
  )
  route(http, secondFactors.signInWithLink, async (caller, input, cookies) =>
    finish(cookies, await signInWithLink(step, caller, cookies.pendingSignIn, input)),
  )
  route(http, users.logout, async (caller, _, cookies) => {
    await rules.logout(core, caller)
    cookies.endSession()
    return null
  })
  route(http, users.update, (caller, input, { site }) => rules.updateUser({ core, site }, caller, input))
  route(http, users.changePassword, async (caller, input) => {
    await rules.changePassword({ core, refusals }, caller, input)
    return null
  })
  route(http, users.confirm, (caller, input) => rules.confirm({ core, refusals }, caller, input))
  route(http, users.deletion, (caller) => deletion.deletionOf(core, caller))
  route(http, users.deleteAccount, async (caller, input, cookies) => {
    await deletion.deleteOwnAccount({ core, refusals }, caller, input)
    cookies.endSession()
    return null
  })
  route(http, users.deleteAccountConfirmed, async (caller, _, cookies) => {
    await deletion.deleteWithoutPassword(core, caller)
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
  const { mail } = core
  if (mail === undefined) return
  route(http, mailCalls.users.forgotPassword, async (caller, input) => {
    await askForLink(core, mail, caller, input)
    return null
  })
}

/** The cookies of a login whose second step is done. */
function finish(cookies: Answering, { user, token, device }: SignedIn): SignedIn["user"] {
  cookies.endSignIn()
  cookies.beginSession(token)
  cookies.rememberDevice(device)
  return user
}
