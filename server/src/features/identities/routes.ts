import { identities, pageAfter } from "@envkeep/contract"
import type { Core } from "../../core/core.ts"
import { type Navigation, navigationRoute } from "../../http/navigation.ts"
import { type Http, route } from "../../http/route.ts"
import { loginPage } from "./pages.ts"
import * as rules from "./rules.ts"
import { arrive, depart, departToSignIn, pageOfFailure, type SignInParts } from "./sign-in.ts"
import { visitSeconds } from "./visits.ts"

export function identityRoutes(http: Http, core: Core, parts: Omit<SignInParts, "core" | "site">): void {
  const { providers } = parts
  // Providers need a configured origin, so the host of a request decides nothing.
  const signIn = { core, site: { publicOrigin: http.publicOrigin, host: "" }, ...parts }
  route(http, identities.providers, async () => rules.listProviders(providers))
  route(http, identities.list, (caller) => rules.listIdentities(core, providers, caller))
  route(http, identities.connect, async (caller, input, answering) => {
    const { token, address } = await rules.beginConnecting(core, providers, caller, input)
    answering.beginVisit(token, visitSeconds)
    return { address }
  })
  route(http, identities.confirm, async (caller, input, answering) => {
    const { token, address } = await rules.beginConfirming(core, providers, caller, input)
    answering.beginVisit(token, visitSeconds)
    return { address }
  })
  route(http, identities.disconnect, (caller, input) => rules.disconnect(signIn, caller, input))

  const goSignIn = async ({ caller, provider, query, isFromOtherSite, beginVisit }: Navigation) => {
    const to = query.get("to")
    // A provider may send the browser straight back: then that site would have begun a session here, and ended another one.
    if (isFromOtherSite) return loginPage(pageAfter(to))
    const { token, address } = await departToSignIn(signIn, caller, { provider, to })
    beginVisit(token, visitSeconds)
    return address
  }
  navigationRoute(http, "/api/sign-in/:provider", goSignIn, pageOfFailure)
  navigationRoute(
    http,
    "/api/sign-in/:provider/continue",
    ({ provider, visit }) => depart(signIn, { provider, token: visit }),
    pageOfFailure,
  )
  navigationRoute(
    http,
    "/api/sign-in/:provider/callback",
    async ({ caller, provider, query, visit, ...answering }) => {
      const { address, session, pending } = await arrive(signIn, caller, { provider, token: visit, query })
      answering.endVisit()
      if (pending !== undefined) answering.beginSignIn(pending)
      if (session !== undefined) {
        answering.beginSession(session.token)
        answering.rememberDevice(session.device)
      }
      return address
    },
    pageOfFailure,
  )
}
