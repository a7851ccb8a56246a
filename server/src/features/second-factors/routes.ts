import { type SecondFactorMode, secondFactors } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Http, route } from "../../http/route.ts"
import { beginTotp, confirmTotp, removeTotp } from "./authenticator.ts"
import { createRecoveryCodes } from "./recovery-codes.ts"
import * as rules from "./rules.ts"

/** The calls of the second step itself are routes of the users. */
export function secondFactorRoutes(http: Http, core: Core, mode: SecondFactorMode): void {
  route(http, secondFactors.status, (caller) => rules.statusOf(core, mode, caller))
  route(http, secondFactors.beginTotp, (caller) => beginTotp(core, caller))
  route(http, secondFactors.confirmTotp, (caller, input) => confirmTotp(core, caller, input))
  route(http, secondFactors.removeTotp, (caller) => removeTotp(core, caller))
  route(http, secondFactors.createRecoveryCodes, (caller) => createRecoveryCodes(core, caller))
}
