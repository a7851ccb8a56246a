import { generateKeyPairSync, hash, randomBytes, sign } from "node:crypto"
import type { CreationAnswer, Passkey, PasskeyCreation, PasskeyRequest, RequestAnswer } from "@envkeep/contract"
import { password, type TestApp } from "./app.ts"
import { publicUrl } from "./oidc/client-settings.ts"
import { type Person, person } from "./person.ts"

/** What an attacker, a broken browser or a simple security key would answer otherwise. */
interface Deviations {
  origin?: string
  challenge?: string
  type?: string
  host?: string
  crossOrigin?: boolean
  isPresent?: boolean
  isVerified?: boolean
  counter?: number
  userHandle?: string | null
  /** Sent beside the passkey: a statement about who made the authenticator. */
  attestation?: Buffer
}

export type Authenticator = ReturnType<typeof authenticator>

/**
 * A browser with an authenticator that holds one passkey: it answers as WebAuthn says, with a real key (ES256). It counts
 * its uses, unless `counts` is false, as synced passkeys do not.
 */
export function authenticator({ origin = "http://localhost", counts = true, isSynced = false } = {}) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const credentialId = randomBytes(32)
  let uses = 0
  let handle = ""

  function clientData(type: string, challenge: string, other: Deviations): Buffer {
    return Buffer.from(
      JSON.stringify({
        type: other.type ?? type,
        challenge: other.challenge ?? challenge,
        origin: other.origin ?? origin,
        crossOrigin: other.crossOrigin ?? false,
      }),
    )
  }

  function authenticatorData(host: string, other: Deviations, credential = Buffer.alloc(0)): Buffer {
    const { isPresent = true, isVerified = true, counter = counts ? ++uses : 0 } = other
    const synced = isSynced ? flags.canBeSynced | flags.isSynced : 0
    const hasCredential = credential.length > 0 ? flags.hasCredential : 0
    const ofUser = (isPresent ? flags.isPresent : 0) | (isVerified ? flags.isVerified : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([
      hash("sha256", other.host ?? host, "buffer"),
      Buffer.from([ofUser | synced | hasCredential]),
      count,
      credential,
    ])
  }

  const id = credentialId.toString("base64url")
  return {
    id,
    create(
      { rp, user, challenge }: Pick<PasskeyCreation, "rp" | "user" | "challenge">,
      other: Deviations = {},
    ): CreationAnswer {
      handle = user.id
      const { x = "", y = "" } = publicKey.export({ format: "jwk" })
      const credential = Buffer.concat([
        Buffer.alloc(16),
        Buffer.from([0, credentialId.length]),
        credentialId,
        cborMap([
          [Buffer.from([0x01]), Buffer.from([0x02])],
          [Buffer.from([0x03]), Buffer.from([0x26])],
          [Buffer.from([0x20]), Buffer.from([0x01])],
          [Buffer.from([0x21]), cborBytes(Buffer.from(x, "base64url"))],
          [Buffer.from([0x22]), cborBytes(Buffer.from(y, "base64url"))],
        ]),
      ])
      const attestationObject = cborMap([
        [cborText("fmt"), cborText(other.attestation === undefined ? "none" : "packed")],
        [cborText("attStmt"), other.attestation ?? cborMap([])],
        [cborText("authData"), cborBytes(authenticatorData(rp.id, other, credential))],
      ])
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: clientData("webauthn.create", challenge, other).toString("base64url"),
          attestationObject: attestationObject.toString("base64url"),
          transports: ["internal", "hybrid"],
        },
      }
    },
    get({ rpId, challenge }: PasskeyRequest, other: Deviations = {}): RequestAnswer {
      const [client, data] = [clientData("webauthn.get", challenge, other), authenticatorData(rpId, other)]
      const signature = sign("sha256", Buffer.concat([data, hash("sha256", client, "buffer")]), privateKey)
      return {
        id,
        rawId: id,
        type: "public-key",
        response: {
          clientDataJSON: client.toString("base64url"),
          authenticatorData: data.toString("base64url"),
          signature: signature.toString("base64url"),
          userHandle: other.userHandle === undefined ? handle : other.userHandle,
        },
      }
    },
  }
}

/** The life of a passkey: it is added, used in every way in another browser, renamed and removed. */
export async function usePasskeyInEveryWay({ app }: Pick<TestApp, "app">, owner: Person): Promise<void> {
  const key = authenticator({ origin: publicUrl })
  const creation = await owner.post<PasskeyCreation>("/users/me/passkeys/begin")
  const answer = key.create(creation.body.data)
  const { id } = (await owner.post<Passkey>("/users/me/passkeys", { name: "laptop", answer })).body.data
  const browser = person(app)
  const use = async (path: string) => {
    const request = await browser.post<PasskeyRequest>(`${path}/begin`)
    await browser.post(path, { answer: key.get(request.body.data) })
  }
  await use("/users/login/passkey")
  await browser.post("/users/login", { email: owner.email, password })
  await use("/users/login/passkey/second-step")
  await use("/users/me/confirm/passkey")
  await owner.get("/users/me/passkeys")
  await owner.put(`/users/me/passkeys/${id}`, { name: "phone" })
  await owner.delete(`/users/me/passkeys/${id}`)
}

const flags = {
  isPresent: 0x01,
  isVerified: 0x04,
  canBeSynced: 0x08,
  isSynced: 0x10,
  hasCredential: 0x40,
}

// As much of CBOR as a passkey needs.

export function cborMap(entries: [key: Buffer, value: Buffer][]): Buffer {
  return Buffer.concat([Buffer.from([0xa0 | entries.length]), ...entries.flat()])
}

export function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])
}

export function cborBytes(bytes: Buffer): Buffer {
  const length = Buffer.alloc(3)
  length.writeUInt8(0x59)
  length.writeUInt16BE(bytes.length, 1)
  const head = bytes.length < 256 ? Buffer.from([0x58, bytes.length]) : length
  return Buffer.concat([head, bytes])
}
