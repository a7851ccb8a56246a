import type { Reader, Tx } from "../db/schema.ts"
import type { MailKind, MailParams } from "./contents.ts"
import type { MailSettings } from "./settings.ts"
import type { ClaimedMail, Recipient } from "./store.ts"

/** Where mails wait. A server without a mail server has none. */
export interface MailQueue {
  settings: MailSettings
  /** Queues a mail in the transaction of what it is about: neither is there without the other. */
  queue<Kind extends MailKind>(tx: Tx, mail: NewMail<Kind>): Promise<void>
  /** Queues a notice about an account. Beyond some of a kind in an hour, they become one mail at its end. */
  notify<Kind extends MailKind>(
    tx: Tx,
    recipient: Pick<Recipient, "userId" | "email">,
    notice: Notice<Kind>,
  ): Promise<void>
  /** Undefined if it is damaged. */
  open(db: Reader, mail: ClaimedMail): Promise<OpenedMail | undefined>
  remove(tx: Tx, id: number): Promise<void>
}

interface Notice<Kind extends MailKind> {
  kind: Kind
  params: MailParams[Kind]
}

export interface NewMail<Kind extends MailKind> extends Notice<Kind> {
  to: string
  /** Whose account it is about. */
  userId?: number
  dueAt?: number
  /** Without it, a day after it is due. */
  expiresAt?: number
}

/** The parameters belong to the kind. */
export type OpenedMail = { [Kind in MailKind]: { kind: Kind; to: string; params: MailParams[Kind] } }[MailKind]
