import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { fields, id, name, shown } from "./text.ts"
import { User } from "./users.ts"

// Each use of a passkey is two calls: the first says what the passkey must sign, the second brings the answer. The shapes
// in between are those of the browser (WebAuthn), so they go from `navigator.credentials` to the server as they are.

export const Passkey = z.object({
  id: z.number(),
  name: shown,
  /** The host that it was made for. It works nowhere else. */
  host: z.string(),
  /** Whether a password manager keeps it on several devices. Otherwise it is on one device, or on a security key. */
  isSynced: z.boolean(),
  /** ISO 8601. */
  createdAt: z.string(),
  /** Null if it was not used yet. */
  lastUsedAt: z.string().nullable(),
})
export type Passkey = z.output<typeof Passkey>

/** With the first second factor of an account, the answer has new recovery codes, once. */
const AddedPasskey = Passkey.extend({ recoveryCodes: z.array(z.string()).optional() })
export type AddedPasskey = z.output<typeof AddedPasskey>

const Descriptor = z.object({
  id: z.string(),
  type: z.literal("public-key"),
  transports: z.array(z.string()),
})

const userVerification = z.literal("required")

/** `PublicKeyCredentialCreationOptionsJSON` of WebAuthn. */
export const PasskeyCreation = z.object({
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  challenge: z.string(),
  pubKeyCredParams: z.array(z.object({ type: z.literal("public-key"), alg: z.number() })),
  timeout: z.number(),
  attestation: z.literal("none"),
  authenticatorSelection: z.object({
    residentKey: z.literal("required"),
    requireResidentKey: z.literal(true),
    userVerification,
  }),
  /** The passkeys that the account has already. */
  excludeCredentials: z.array(Descriptor),
})
export type PasskeyCreation = z.output<typeof PasskeyCreation>

/** `PublicKeyCredentialRequestOptionsJSON` of WebAuthn. */
export const PasskeyRequest = z.object({
  rpId: z.string(),
  challenge: z.string(),
  timeout: z.number(),
  userVerification,
  /** Empty if any passkey of the host will do. */
  allowCredentials: z.array(Descriptor),
})
export type PasskeyRequest = z.output<typeof PasskeyRequest>

const broken = "The answer of the passkey could not be understood"
const base64url = (max: number) =>
  z
    .string(broken)
    .min(1, broken)
    .max(max, broken)
    .regex(/^[\w-]+$/, broken)

const credential = {
  id: base64url(limits.credentialId),
  rawId: base64url(limits.credentialId),
  type: z.literal("public-key", broken),
}

/** `RegistrationResponseJSON` of WebAuthn, as far as it is needed. Other fields are ignored. */
const CreationAnswer = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: base64url(limits.passkeyAnswer),
        attestationObject: base64url(limits.passkeyAnswer),
        transports: z.array(z.string(broken).max(20, broken), broken).max(10, broken).optional(),
      },
      broken,
    ),
  },
  broken,
)
export type CreationAnswer = z.output<typeof CreationAnswer>

/** `AuthenticationResponseJSON` of WebAuthn, as far as it is needed. Other fields are ignored. */
const RequestAnswer = z.object(
  {
    ...credential,
    response: z.object(
      {
        clientDataJSON: base64url(limits.passkeyAnswer),
        authenticatorData: base64url(limits.passkeyAnswer),
        signature: base64url(limits.passkeyAnswer),
        /** Some authenticators send none, or an empty one, if they were told which passkey to use. */
        userHandle: z.literal("").or(base64url(limits.credentialId)).nullish(),
      },
      broken,
    ),
  },
  broken,
)
export type RequestAnswer = z.output<typeof RequestAnswer>

const passkeyName = name("A passkey needs a name")

export const passkeys = {
  list: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "GET",
    path: "/users/me/passkeys",
    summary: "The caller's passkeys, the newest first.",
    input: fields({}),
    output: z.array(Passkey),
    done: "OK",
  }),
  beginAdding: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "POST",
    path: "/users/me/passkeys/begin",
    summary: "What `navigator.credentials.create` needs to make a passkey for the caller. Valid for 5 minutes, once.",
    input: fields({}),
    output: PasskeyCreation,
    done: "OK",
  }),
  add: call({
    access: "user",
    token: "never",
    confirm: true,
    beforeFactor: true,
    method: "POST",
    path: "/users/me/passkeys",
    summary:
      "Adds the passkey that `navigator.credentials.create` has made. If it is the first second factor of the account, the answer has new recovery codes, once.",
    input: fields({ name: passkeyName, answer: CreationAnswer }),
    output: AddedPasskey,
    done: "Passkey added successfully",
    status: 201,
  }),
  rename: call({
    access: "user",
    token: "never",
    method: "PUT",
    path: "/users/me/passkeys/{id}",
    summary: "Gives one of the caller's passkeys another name.",
    input: fields({ id, name: passkeyName }),
    output: Passkey,
    done: "Passkey renamed successfully",
  }),
  remove: call({
    access: "user",
    token: "never",
    confirm: true,
    method: "DELETE",
    path: "/users/me/passkeys/{id}",
    summary:
      "Removes one of the caller's passkeys. It no longer signs in, on every node. Without another factor, the recovery codes go too.",
    input: fields({ id }),
    output: z.null(),
    done: "Passkey removed successfully",
  }),
  beginSignIn: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/passkey/begin",
    summary:
      "What `navigator.credentials.get` needs to sign in with a passkey, without a password. Valid for 5 minutes, once.",
    input: fields({}),
    output: PasskeyRequest,
    done: "OK",
  }),
  signIn: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/passkey",
    summary:
      "Signs in with the answer of a passkey and sets the session cookie. The passkey must have verified its user, so no second step follows.",
    input: fields({ answer: RequestAnswer }),
    output: User,
    done: "Logged in successfully",
  }),
  beginSecondStep: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/passkey/second-step/begin",
    summary:
      "What `navigator.credentials.get` needs to finish a login whose password was right with a passkey. Valid for 5 minutes, once.",
    input: fields({}),
    output: PasskeyRequest,
    done: "OK",
  }),
  secondStep: call({
    access: "anyone",
    method: "POST",
    path: "/users/login/passkey/second-step",
    summary: "Finishes a login whose password was right with the answer of a passkey of the same account.",
    input: fields({ answer: RequestAnswer }),
    output: User,
    done: "Logged in successfully",
  }),
  beginConfirming: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "POST",
    path: "/users/me/confirm/passkey/begin",
    summary:
      "What `navigator.credentials.get` needs to confirm with a passkey that the caller is still there. Valid for 5 minutes, once.",
    input: fields({}),
    output: PasskeyRequest,
    done: "OK",
  }),
  confirm: call({
    access: "user",
    token: "never",
    beforeFactor: true,
    method: "POST",
    path: "/users/me/confirm/passkey",
    summary:
      "Confirms with the answer of a passkey that the caller is still there. For 10 minutes, the session can make calls that ask for it.",
    input: fields({ answer: RequestAnswer }),
    output: z.null(),
    done: "Confirmed",
  }),
}
