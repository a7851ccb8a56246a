import { isKnownDeviceOf } from "../access/attempts/rules.ts"
import type { Caller } from "../access/caller.ts"
import { hasPassword } from "../access/has-password.ts"
import { networkOf } from "../access/network.ts"
import type { ChangeEvent, Recorder } from "../audit/record.ts"
import type { Tx } from "../db/schema.ts"
import { isNoticed, type Origin } from "./contents.ts"
import type { MailQueue } from "./mail-queue.ts"
import * as store from "./store.ts"

/** Records events, and queues the notices that people get about some of them, in the same transaction. */
export function withNotices(record: Recorder, mail: MailQueue): Recorder {
  /** By the visitor, who is another object in each request. */
  const accountsMade = new WeakMap<Caller, number>()
  return async (tx, event) => {
    const queued = await record(tx, event)
    const { caller, subject } = event
    if (event.action === "account.create" && subject.userId !== undefined && "device" in caller) {
      accountsMade.set(caller, subject.userId)
    }
    // The first sign-in at a provider makes an account, connects it and begins a session. Its user knows all of that.
    if (subject.userId !== undefined && accountsMade.get(caller) === subject.userId) return queued
    if (event.action === "session.begin") await noticeSignIn(tx, mail, event)
    else if (event.action === "api-key.refuse") await noticeRefusedKey(tx, mail, event)
    else if (event.action === "collection.request-transfer") await noticeRequest(tx, mail, event)
    else if (isNoticed(event.action) && !isCollected(event)) await noticeChange(tx, mail, event)
    return queued
  }
}

/** A machine fetches the token of a login. Its user was told when the login was approved. */
function isCollected({ action, caller }: ChangeEvent): boolean {
  return action === "token.create" && caller.kind === "guest"
}

async function noticeSignIn(tx: Tx, mail: MailQueue, { caller, subject }: ChangeEvent): Promise<void> {
  if (subject.userId === undefined || !("device" in caller)) return
  if (await isKnownDeviceOf(tx, caller.device, subject.userId)) return
  const recipient = await store.recipientOf(tx, subject.userId)
  if (recipient === undefined) return
  const params = { from: originOf(caller), hasPassword: await hasPassword(tx, subject.userId) }
  await mail.notify(tx, recipient, { kind: "sign-in", params })
}

async function noticeChange(tx: Tx, mail: MailQueue, { caller, action, subject }: ChangeEvent): Promise<void> {
  const userId = subject.userId ?? (caller.kind === "user" ? caller.userId : undefined)
  const recipient = userId === undefined ? undefined : await store.recipientOf(tx, userId)
  if (recipient === undefined) return
  // The account's user does not learn where an administrator is.
  const isOther = caller.kind === "user" && caller.userId !== userId
  const from = isOther ? { at: Date.now(), network: "", client: "" } : originOf(caller)
  const { tokenName: name } = subject
  await (name === undefined
    ? mail.notify(tx, recipient, { kind: "changed", params: { action, from } })
    : mail.notify(tx, recipient, { kind: "token", params: { action, name, from } }))
}

async function noticeRequest(tx: Tx, mail: MailQueue, { subject }: ChangeEvent): Promise<void> {
  const recipient = subject.userId === undefined ? undefined : await store.recipientOf(tx, subject.userId)
  if (recipient !== undefined) await mail.notify(tx, recipient, { kind: "transfer-request", params: {} })
}

async function noticeRefusedKey(tx: Tx, mail: MailQueue, { subject }: ChangeEvent): Promise<void> {
  const names = subject.apiKeyId === undefined ? undefined : await store.namesOfKey(tx, subject.apiKeyId)
  if (names === undefined) return
  const params = { ...names, refused: subject.counts?.["refused"] ?? 0 }
  for (const owner of await store.ownersOf(tx, names.collectionId)) {
    await mail.notify(tx, owner, { kind: "key-refused", params })
  }
}

/** Where a caller is, and when. */
export function originOf(caller: Caller): Origin {
  const at = Date.now()
  if (!("client" in caller)) return { at, network: "", client: "" }
  return { at, network: networkOf(caller.address), client: caller.client }
}
