import { z } from "zod"
import { call } from "./call.ts"
import { invitations, NewInvitation } from "./invitations.ts"
import { limits } from "./limits.ts"
import { fields, form, text } from "./text.ts"
import { emailField } from "./users.ts"

// What only a server that sends mail has. Others do not know these calls and fields, and none of their answers names them.

/** How many mails wait, how many were given up in the last 30 days, and why the last try failed. */
export const MailState = z.object({
  waiting: z.number(),
  givenUp: z.number(),
  /** Null if no mail waits that has failed, and none was given up. */
  lastFault: z.object({ fault: z.string(), at: z.string() }).nullable(),
})
export type MailState = z.output<typeof MailState>

/** With the address that it is sent to; null if it is sent to none. */
export const MailedInvitation = NewInvitation.extend({ sentTo: z.string().nullable() })
export type MailedInvitation = z.output<typeof MailedInvitation>

const blank = "Please enter your email"
const sendTo = { email: emailField("Email must not be blank").optional() }
const { inviteToCollection, inviteToTeam, inviteToServer } = invitations

/** By the names of their groups. They come in addition to those of every server, or in their place. */
export const mailCalls = {
  users: {
    forgotPassword: call({
      access: "anyone",
      method: "POST",
      path: "/users/password/forgot",
      summary:
        "Sends a link that sets a new password to the account with this email. The answer is the same if there is none.",
      input: form(blank, ["email"], { email: text({ label: "Email", max: limits.email, required: blank }) }),
      output: z.null(),
      done: "If there is an account with this email, we have sent a link to it",
    }),
  },
  invitations: {
    inviteToCollection: {
      ...inviteToCollection,
      summary: `${inviteToCollection.summary} With an email, it is sent there.`,
      input: inviteToCollection.input.extend(sendTo),
      output: MailedInvitation,
    },
    inviteToTeam: {
      ...inviteToTeam,
      summary: `${inviteToTeam.summary} With an email, it is sent there.`,
      input: inviteToTeam.input.extend(sendTo),
      output: MailedInvitation,
    },
    inviteToServer: {
      ...inviteToServer,
      summary: `${inviteToServer.summary} With an email, it is sent there.`,
      input: inviteToServer.input.extend(sendTo),
      output: MailedInvitation,
    },
  },
  admin: {
    mail: call({
      access: "admin",
      token: "manage",
      method: "GET",
      path: "/admin/mail",
      summary: "How many mails wait or were given up, and why the last try failed.",
      input: fields({}),
      output: MailState,
      done: "OK",
    }),
  },
}
