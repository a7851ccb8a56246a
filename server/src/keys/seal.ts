import { createDecipheriv, createSecretKey, type KeyObject } from "node:crypto"
import { decrypt, encrypt, overheadBytes } from "./chacha20-poly1305.ts"

// The first byte of sealed data names the algorithm; nonce, ciphertext and tag follow.
const aes256Gcm = 1
const chacha20Poly1305 = 2

/** By how much sealed data is longer than its content, with either algorithm. */
export const sealBytes = 1 + overheadBytes

/** A KeyObject does not show its bytes when it is printed, and can be compared by identity. */
export function keyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/**
 * Seals text or bytes under a 32-byte key. `context` says what the content belongs to. It is not stored, but opening
 * needs the same one, so a sealed value that is moved to another row does not open there.
 */
export function seal(key: KeyObject, content: string | Uint8Array, context: readonly (string | number)[]): Buffer {
  return encrypt(chacha20Poly1305, { key, context: contextText(context), content })
}

/** The content, or undefined if it was damaged, moved, or sealed under another key. */
export function unseal(key: KeyObject, sealed: Uint8Array, context: readonly (string | number)[]): Buffer | undefined {
  // A damaged column of SQLite can hold a number or a text.
  if (!(sealed instanceof Uint8Array) || sealed.length < sealBytes) return undefined
  const [version] = sealed
  if (version === chacha20Poly1305) return decrypt(key, contextText(context), sealed.subarray(1))
  if (version === aes256Gcm) return decryptAes(key, contextText(context), sealed.subarray(1))
  return undefined
}

/** Of what is stored, as the engine counts it, even if it is damaged. */
export function sealedLength(sealed: Uint8Array): number {
  return sealed instanceof Uint8Array ? sealed.length : String(sealed).length
}

/** The first versions sealed with AES-256-GCM, and such values must still open. */
function decryptAes(key: KeyObject, context: string, sealed: Uint8Array): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-16))
  const content = decipher.update(sealed.subarray(12, -16))
  try {
    return Buffer.concat([content, decipher.final()])
  } catch {
    return undefined // the tag does not match, so the decrypted bytes cannot be trusted
  }
}

/** JSON separates the parts: ["item", 1, "2"] and ["item", 12, ""] are different contexts. */
function contextText(context: readonly (string | number)[]): string {
  return JSON.stringify(context)
}
