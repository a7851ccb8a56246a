import { passkeys, sentences } from "@envkeep/contract"
import { commandsFor, notFound, refused } from "../model/command.ts"

// What a passkey goes through is in the feature's own test. Here its calls stand among all others: the server is reached by
// an IP address, which has no passkeys.

const unknown = { expected: () => notFound("Passkey") }
const noHostName = (status: number) => ({ expected: () => refused(status, sentences.passkeysNeedHostName) })

const noLogin = { weight: 1, expected: () => refused(401, sentences.signInExpired) }

const clientDataJSON = Buffer.from(JSON.stringify({ challenge: "unknown", origin: "http://localhost" })).toString(
  "base64url",
)
const credential = { id: "dW5rbm93bg", rawId: "dW5rbm93bg", type: "public-key" }

const signed = () => ({
  body: {
    answer: { ...credential, response: { clientDataJSON, authenticatorData: "AA", signature: "AA", userHandle: "AA" } },
  },
})

export const passkeysCommands = {
  list: commandsFor(passkeys.list, { expected: () => ({ data: () => [] }) }),
  beginAdding: commandsFor(passkeys.beginAdding, noHostName(400)),
  add: commandsFor(passkeys.add, {
    ...noHostName(400),
    request: () => ({
      body: { name: "laptop", answer: { ...credential, response: { clientDataJSON, attestationObject: "oA" } } },
    }),
  }),
  rename: commandsFor(passkeys.rename, {
    ...unknown,
    request: () => ({ id: 1_000_000_000, body: { name: "phone" } }),
  }),
  remove: commandsFor(passkeys.remove, { ...unknown, request: () => ({ id: 1_000_000_000 }) }),
  beginSignIn: commandsFor(passkeys.beginSignIn, noHostName(400)),
  signIn: commandsFor(passkeys.signIn, { ...noHostName(401), request: signed }),
  beginSecondStep: commandsFor(passkeys.beginSecondStep, noLogin),
  secondStep: commandsFor(passkeys.secondStep, { ...noLogin, request: signed }),
  beginConfirming: commandsFor(passkeys.beginConfirming, noHostName(400)),
  confirm: commandsFor(passkeys.confirm, { ...noHostName(400), request: signed }),
}
