import { passkeys } from "@envkeep/contract"
import type { Answering } from "../../http/answering.ts"
import { type Http, route } from "../../http/route.ts"
import type { SecondStep, SignedIn } from "../users/second-step.ts"
import { beginConfirming, confirmWithPasskey } from "./confirm.ts"
import * as rules from "./rules.ts"
import { beginSecondStep, beginSignIn, signIn, takeSecondStep } from "./sign-in.ts"

interface Parts extends SecondStep {
  providers: rules.Removing["providers"]
}

export function passkeyRoutes(http: Http, { providers, ...step }: Parts): void {
  const { core } = step
  route(http, passkeys.list, (caller) => rules.listPasskeys(core, caller))
  route(http, passkeys.beginAdding, (caller, _, at) => rules.beginAdding(core, caller, at.site))
  route(http, passkeys.add, (caller, input, at) => rules.addPasskey(core, caller, at.site, input))
  route(http, passkeys.rename, (caller, input) => rules.renamePasskey(core, caller, input))
  const removing = { core, providers, publicOrigin: http.publicOrigin }
  route(http, passkeys.remove, (caller, input) => rules.removePasskey(removing, caller, input))
  route(http, passkeys.beginSignIn, (caller, _, at) => beginSignIn(core, caller, at.site))
  route(http, passkeys.signIn, async (caller, input, at) =>
    begin(at, await signIn({ ...step, site: at.site }, caller, input)),
  )
  route(http, passkeys.beginSecondStep, (caller, _, at) => beginSecondStep(core, caller, at.site, at.pendingSignIn))
  route(http, passkeys.secondStep, async (caller, input, at) =>
    begin(at, await takeSecondStep({ ...step, site: at.site }, caller, at.pendingSignIn, input)),
  )
  route(http, passkeys.beginConfirming, (caller, _, at) => beginConfirming(core, caller, at.site))
  route(http, passkeys.confirm, (caller, input, at) => confirmWithPasskey(core, caller, at.site, input))
}

function begin(cookies: Answering, { user, token, device }: SignedIn) {
  cookies.endSignIn()
  cookies.beginSession(token)
  cookies.rememberDevice(device)
  return user
}
