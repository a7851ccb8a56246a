import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto"

// The first byte of sealed data names the algorithm; nonce, ciphertext and tag follow.
const versions = {
  /** The first versions sealed with it, and such values must still open. */
  aes256Gcm: 1,
  chacha20Poly1305: 2,
}
const nonceBytes = 12
const tagBytes = 16
const contentAt = 1 + nonceBytes

/** By how much sealed data is longer than its content, with either algorithm. */
export const sealBytes = contentAt + tagBytes

/** A KeyObject does not show its bytes when it is printed, and can be compared by identity. */
export function keyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/**
 * Seals text or bytes under a 32-byte key. `context` says what the content belongs to. It is not stored, but opening
 * needs the same one, so a sealed value that is moved to another row does not open there.
 */
export function seal(key: KeyObject, content: string | Uint8Array, context: readonly (string | number)[]): Buffer {
  const plain = typeof content === "string" ? Buffer.from(content) : content
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: tagBytes })
  cipher.setAAD(contextBytes(context), { plaintextLength: plain.length })
  const encrypted = cipher.update(plain)
  const rest = cipher.final() // the tag exists only after this
  return Buffer.concat([Buffer.of(versions.chacha20Poly1305), nonce, encrypted, rest, cipher.getAuthTag()])
}

/** The content, or undefined if it was damaged, moved, or sealed under another key. */
export function unseal(key: KeyObject, sealed: Uint8Array, context: readonly (string | number)[]): Buffer | undefined {
  // A damaged column of SQLite can hold a number or a text.
  if (!(sealed instanceof Uint8Array) || sealed.length < sealBytes) return undefined
  const decipher = decipherFor(sealed[0], key, sealed.subarray(1, contentAt))
  if (decipher === undefined) return undefined

  const encrypted = sealed.subarray(contentAt, -tagBytes)
  decipher.setAAD(contextBytes(context), { plaintextLength: encrypted.length })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const content = decipher.update(encrypted)
  try {
    decipher.final()
  } catch {
    return undefined // the tag does not match, so the decrypted bytes cannot be trusted
  }
  return content
}

function decipherFor(version: number | undefined, key: KeyObject, nonce: Uint8Array) {
  const options = { authTagLength: tagBytes }
  if (version === versions.chacha20Poly1305) return createDecipheriv("chacha20-poly1305", key, nonce, options)
  if (version === versions.aes256Gcm) return createDecipheriv("aes-256-gcm", key, nonce, options)
  return undefined
}

/** Of what is stored, as the engine counts it, even if it is damaged. */
export function sealedLength(sealed: Uint8Array): number {
  return sealed instanceof Uint8Array ? sealed.length : String(sealed).length
}

/** JSON separates the parts: ["item", 1, "2"] and ["item", 12, ""] are different contexts. */
function contextBytes(context: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify(context))
}
