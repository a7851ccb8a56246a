import type { InputOf, mailCalls } from "@envkeep/contract"
import { putLink } from "../../../access/account-links.ts"
import * as attempts from "../../../access/attempts/rules.ts"
import type { Visitor } from "../../../access/caller.ts"
import { emailKey } from "../../../access/email-key.ts"
import type { Core } from "../../../core/core.ts"
import { hourMs } from "../../../durations.ts"
import type { MailParams } from "../../../mail/contents.ts"
import type { MailQueue } from "../../../mail/mail-queue.ts"
import { originOf } from "../../../mail/notices.ts"
import * as accounts from "../store.ts"

// A forgotten password, on a server that sends mail: its user asks for a link.

export const mailedLinkMs = hourMs

/**
 * Only notes the question, and does not look whether there is such an account: neither the answer nor how long it takes
 * can tell. What sends mails looks later.
 */
export async function askForLink(
  core: Core,
  mail: MailQueue,
  caller: Visitor,
  { email }: InputOf<typeof mailCalls.users.forgotPassword>,
): Promise<void> {
  await attempts.countForgotten(core, caller.address, emailKey(email))
  const params = { email, from: originOf(caller) }
  await core.change(caller, "account.forgot-password", async (tx, notes) => {
    // The event comes with the link.
    notes.nothingChanged()
    await mail.queue(tx, { kind: "forgotten", to: email, params, expiresAt: params.from.at + mailedLinkMs })
  })
}

/** Puts a mail with a link in place of the question, if there is an account that can be used. */
export async function answerForgotten(core: Core, mailId: number, params: MailParams["forgotten"]): Promise<void> {
  const { mail } = core
  const { email, from } = params
  const guest = { kind: "guest", address: from.network, device: "", client: from.client } as const
  await core.change(guest, "account.forgot-password", async (tx, notes) => {
    await mail?.remove(tx, mailId)
    const account = await accounts.userByEmail(tx, emailKey(email))
    if (account === undefined || account.disabledAt !== null) return notes.nothingChanged()
    const expiresAt = Date.now() + mailedLinkMs
    const token = await putLink(tx, "mailed_reset", account.id, expiresAt)
    // To the address of the account, which may be spelled in another way.
    await mail?.queue(tx, { kind: "reset", to: account.email, userId: account.id, params: { token, from }, expiresAt })
    notes.about({ userId: account.id })
  })
}
