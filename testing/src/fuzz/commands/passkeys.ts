import { passkeys, sentences } from "@envkeep/contract"
import fc from "fast-check"
import { commandsFor, notFound, type Refusal, refused, refusedCalls } from "../model/command.ts"

// What a passkey goes through is in the feature's own test. Here its calls stand among all others: the server is reached by
// an IP address, which has no passkeys.

const blank = "A passkey needs a name"
const unknown = notFound("Passkey")
const noHostName = (status: number) => refused(status, sentences.passkeysNeedHostName)
const noLogin = refused(401, sentences.signInExpired)

const clientDataJSON = Buffer.from(JSON.stringify({ challenge: "unknown", origin: "http://localhost" })).toString(
  "base64url",
)
const credential = { id: "dW5rbm93bg", rawId: "dW5rbm93bg", type: "public-key" }
const created = fc.constant({ ...credential, response: { clientDataJSON, attestationObject: "oA" } })
const signed = fc.constant({
  ...credential,
  response: { clientDataJSON, authenticatorData: "AA", signature: "AA", userHandle: "AA" },
})

const refusedBy = (refusal: Refusal) => ({ refusal: () => refusal })

export const passkeysCommands = {
  list: commandsFor(passkeys.list, { data: () => [] }),
  beginAdding: commandsFor(passkeys.beginAdding, refusedBy(noHostName(400))),
  add: commandsFor(passkeys.add, { blank, fields: { answer: created }, ...refusedBy(noHostName(400)) }),
  rename: commandsFor(passkeys.rename, { blank, ...refusedBy(unknown) }),
  remove: commandsFor(passkeys.remove, refusedBy(unknown)),
  beginSignIn: commandsFor(passkeys.beginSignIn, refusedBy(noHostName(400))),
  signIn: commandsFor(passkeys.signIn, { fields: { answer: signed }, ...refusedBy(noHostName(401)) }),
  beginSecondStep: refusedCalls(noLogin)(passkeys.beginSecondStep),
  secondStep: commandsFor(passkeys.secondStep, { weight: 1, fields: { answer: signed }, ...refusedBy(noLogin) }),
  beginConfirming: commandsFor(passkeys.beginConfirming, refusedBy(noHostName(400))),
  confirm: commandsFor(passkeys.confirm, { fields: { answer: signed }, ...refusedBy(noHostName(400)) }),
}
