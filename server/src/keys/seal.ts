import { createDecipheriv, createSecretKey, type KeyObject } from "node:crypto"
import { decrypt, encrypt, overheadBytes } from "./chacha20-poly1305.ts"

// A sealed thing begins with how it was sealed; nonce, ciphertext and tag follow.
const aes256Gcm = 1
const chacha20Poly1305 = 2

/** A key as the functions here take it: it is known by its identity, and does not show its bytes when printed. */
export function keyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/**
 * Seals text or bytes under a 32-byte key. `context` says what the sealed thing is; it is not stored, but opening needs
 * the same one, so a sealed value moved to another row does not open there.
 */
export function seal(key: KeyObject, content: string | Uint8Array, context: readonly (string | number)[]): Buffer {
  return encrypt(chacha20Poly1305, { key, context: contextText(context), content })
}

/** What was sealed, or nothing when it was damaged, moved, or sealed under another key. */
export function unseal(key: KeyObject, sealed: Uint8Array, context: readonly (string | number)[]): Buffer | undefined {
  const [version] = sealed
  if (sealed.length < 1 + overheadBytes) return undefined
  if (version === chacha20Poly1305) return decrypt(key, contextText(context), sealed.subarray(1))
  if (version === aes256Gcm) return decryptAes(key, contextText(context), sealed.subarray(1))
  return undefined
}

/** Everything was sealed with AES-256-GCM at first, and what is still stored so opens as before. */
function decryptAes(key: KeyObject, context: string, sealed: Uint8Array): Buffer | undefined {
  const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, 12))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(-16))
  const opened = decipher.update(sealed.subarray(12, -16))
  try {
    return Buffer.concat([opened, decipher.final()])
  } catch {
    return undefined // the tag does not fit: nothing of what was opened can be trusted
  }
}

/** JSON keeps the parts apart: ["item", 1, "2"] and ["item", 12, ""] are different contexts. */
function contextText(context: readonly (string | number)[]): string {
  return JSON.stringify(context)
}
