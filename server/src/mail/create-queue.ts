import { randomUUID } from "node:crypto"
import { countNotice } from "../access/attempts/rules.ts"
import type { Tx } from "../db/schema.ts"
import { dayMs } from "../durations.ts"
import type { Vault } from "../keys/secrets.ts"
import type { MailKind } from "./contents.ts"
import type { MailQueue, NewMail, OpenedMail } from "./mail-queue.ts"
import type { MailSettings } from "./settings.ts"
import * as store from "./store.ts"

/** Of each kind: many logins must not keep back the notice that the password was changed. */
const noticesPerHour = 5

export function createMailQueue(settings: MailSettings, vault: Vault): MailQueue {
  async function queue<Kind extends MailKind>(tx: Tx, mail: NewMail<Kind>): Promise<void> {
    const { kind, to, params, userId = null } = mail
    const messageId = randomUUID()
    const sealed = await vault.sealText(tx, JSON.stringify({ kind, to, params }), ["mail", messageId])
    const createdAt = Date.now()
    const { dueAt = createdAt } = mail
    const { expiresAt = dueAt + dayMs } = mail
    await store.insertMail(tx, { messageId, kind, userId, sealed, createdAt, dueAt, expiresAt })
  }

  return {
    settings,
    queue,
    async notify(tx, { userId, email }, notice) {
      const { count, resetsAt } = await countNotice(tx, userId, notice.kind)
      if (count <= noticesPerHour) return queue(tx, { ...notice, to: email, userId })
      if (await store.addNotice(tx, userId, "more")) return
      await queue(tx, { kind: "more", params: {}, to: email, userId, dueAt: resetsAt })
    },
    async open(db, { sealed, messageId }) {
      const text = sealed === null ? undefined : await vault.openText(db, sealed, ["mail", messageId])
      return text === undefined ? undefined : (JSON.parse(text) as OpenedMail)
    },
    remove: (tx, id) => store.deleteMail(tx, id),
  }
}
