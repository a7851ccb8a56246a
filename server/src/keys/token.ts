import { createHmac, hash, randomBytes, randomInt } from "node:crypto"
import { crc32 } from "node:zlib"

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

export function newSessionToken(): string {
  return randomBytes(32).toString("base64url")
}

/** Two groups of four letters, which a person compares and may have to type: `BCDF-GHJK`. */
export function newUserCode(letters: string): string {
  const four = () => Array.from({ length: 4 }, () => letters.charAt(randomInt(letters.length))).join("")
  return `${four()}-${four()}`
}

/** Six groups of four letters. With 32 letters that is 120 random bits: enough for a plain hash. */
export function newRecoveryCode(letters: string): string {
  return Array.from({ length: 3 }, () => newUserCode(letters)).join("-")
}

/** With a checksum, by which the client detects a typo without a request. */
export function newApiKey(): string {
  return randomKey("ek_")
}

export const personalTokenPrefix = "ept_"

export function newPersonalToken(): string {
  return randomKey(personalTokenPrefix)
}

/** As the Standard Webhooks specification writes a secret: base64 after a prefix. */
export function newWebhookSecret(): string {
  return `${webhookSecretPrefix}${randomBytes(32).toString("base64")}`
}

export const webhookSecretPrefix = "whsec_"

export function newMessageId(): string {
  return `msg_${randomBytes(18).toString("base64url")}`
}

/** The prefix, 40 random characters (238 bits), and a checksum. */
function randomKey(prefix: string): string {
  const random = Array.from({ length: 40 }, () => base62.charAt(randomInt(62))).join("")
  return `${prefix}${random}${checksum(`${prefix}${random}`)}`
}

/** The CRC-32 of the text in six base-62 digits. */
export function checksum(text: string): string {
  let rest = crc32(text)
  let digits = ""
  for (let digit = 0; digit < 6; digit++) {
    digits = base62.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** A plain SHA-256 is enough for tokens: over 230 random bits cannot be guessed, so a slow hash would only slow us. */
export function hashToken(token: string): string {
  return hash("sha256", token, "hex")
}

/** One token in a cookie stands for several secrets, one for each purpose. None of them reveals the token or another. */
export function derivedSecret(token: string, purpose: string): string {
  return createHmac("sha256", token).update(purpose).digest("base64url")
}
