import { firstCalls, ourFault } from "@envkeep/contract"
import type { QueryClient } from "@tanstack/react-query"
import { redirect, replace } from "react-router"
import { ApiError, firstAnswer } from "../../lib/api.ts"
import { dropCliCode } from "../../lib/held-cli-code.ts"
import { dropInvitation } from "../../lib/held-invitation.ts"
import { notify } from "../../lib/notify.ts"
import { announceSession } from "../../lib/other-tabs.ts"
import { endSession, userQuery } from "../../lib/state.ts"

/**
 * The loader of /user/logout, which has no page. If the server does not answer, the user stays signed in. It counts as a
 * write: the stream of an open collection ends with the session, and nothing is read because of that before the answer.
 */
export function logout(client: QueryClient): Promise<Response> {
  return client
    .getMutationCache()
    .build(client, { mutationFn: () => leave(client) })
    .execute(undefined)
}

async function leave(client: QueryClient): Promise<Response> {
  const user = await client.ensureQueryData(userQuery).catch(() => null)
  if (user === null) return redirect("/login")
  try {
    const { msg } = await firstAnswer(firstCalls.logout)
    notify.success(msg)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (!error.sessionEnded) {
      notify.error(error.message || ourFault)
      return stay()
    }
  }
  endSession(client)
  // They are not for the next person in front of this browser.
  dropInvitation()
  dropCliCode()
  announceSession()
  return redirect("/login")
}

/** Returns to the page where the link was clicked, with everything typed there. `location` still has its path. */
function stay(): Response {
  const { pathname, search, hash } = location
  return pathname === "/user/logout" ? redirect("/user/dashboard") : replace(pathname + search + hash)
}
