import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomFillSync } from "node:crypto"

const algorithm = "aes-256-gcm"
const version = 1
const ivBytes = 12
const tagBytes = 16

/** A key as the functions here take it: Node checks raw bytes anew at every use, which costs more than the sealing. */
export function keyOf(bytes: Uint8Array): KeyObject {
  return createSecretKey(bytes)
}

/**
 * Seals text or bytes under a 32-byte key: version, IV, ciphertext, tag. `context` says what the sealed thing is; it is
 * not stored, but opening needs the same one, so a sealed value moved to another row does not open there.
 */
export function seal(key: KeyObject, content: string | Uint8Array, context: readonly (string | number)[]): Buffer {
  const iv = nextIv()
  const cipher = createCipheriv(algorithm, key, iv).setAAD(contextBytes(context))
  const body = typeof content === "string" ? cipher.update(content, "utf8") : cipher.update(content)
  cipher.final() // adds nothing in this mode, but makes the tag
  const sealed = Buffer.allocUnsafe(1 + ivBytes + body.length + tagBytes) // every byte is written below
  sealed[0] = version
  sealed.set(iv, 1)
  sealed.set(body, 1 + ivBytes)
  sealed.set(cipher.getAuthTag(), 1 + ivBytes + body.length)
  return sealed
}

/** What was sealed, or nothing when it was damaged, moved, or sealed under another key. */
export function unseal(key: KeyObject, sealed: Uint8Array, context: readonly (string | number)[]): Buffer | undefined {
  if (sealed.length < 1 + ivBytes + tagBytes || sealed[0] !== version) return undefined
  const iv = sealed.subarray(1, 1 + ivBytes)
  const decipher = createDecipheriv(algorithm, key, iv)
    .setAAD(contextBytes(context))
    .setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const opened = decipher.update(sealed.subarray(1 + ivBytes, sealed.length - tagBytes))
  try {
    return Buffer.concat([opened, decipher.final()])
  } catch {
    return undefined // the tag does not fit: nothing of what was opened can be trusted
  }
}

// Drawn many at a time: asking for twelve bytes costs as much as asking for thousands. Each is used once.
const drawn = Buffer.alloc(ivBytes * 512)
let used = drawn.length

function nextIv(): Buffer {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  const iv = Buffer.from(drawn.subarray(used, used + ivBytes))
  used += ivBytes
  return iv
}

/** JSON keeps the parts apart: ["item", 1, "2"] and ["item", 12, ""] are different contexts. */
function contextBytes(context: readonly (string | number)[]): Buffer {
  return Buffer.from(JSON.stringify(context))
}
