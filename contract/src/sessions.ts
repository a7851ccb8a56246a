import { z } from "zod"
import { call } from "./call.ts"
import { fields, id } from "./text.ts"

/** A login that has not ended. */
export const Session = z.object({
  id: z.number(),
  /** The browser, as it calls itself in `User-Agent`. Empty if it did not say, or logged in before this was recorded. */
  client: z.string(),
  /** The network that it logged in from, such as `203.0.113.0/24`. Empty if this was not recorded yet. */
  address: z.string(),
  /** When it began, in ISO 8601. */
  createdAt: z.string(),
  /** When it was last used, in ISO 8601. Written down once an hour. */
  seenAt: z.string(),
  /** Whether the call was made in it. */
  isCurrent: z.boolean(),
})
export type Session = z.output<typeof Session>

export const sessions = {
  list: call({
    access: "user",
    token: "never",
    method: "GET",
    path: "/users/me/sessions",
    summary: "The caller's sessions, the one of this call first, then the last used ones.",
    input: fields({}),
    output: z.array(Session),
    done: "OK",
  }),
  end: call({
    access: "user",
    token: "never",
    method: "DELETE",
    path: "/users/me/sessions/{id}",
    summary: "Ends one of the caller's sessions; its next request is refused, on every node.",
    input: fields({ id }),
    output: z.null(),
    done: "Session ended successfully",
  }),
  endOthers: call({
    access: "user",
    token: "never",
    method: "POST",
    path: "/users/me/sessions/end-others",
    summary: "Ends all of the caller's sessions but the one of this call, and logins that are not finished yet.",
    input: fields({}),
    output: z.null(),
    done: "All other sessions ended successfully",
  }),
}
