/// <reference path="./libsodium.d.ts" />
import { type KeyObject, randomBytes, randomFillSync } from "node:crypto"
import libsodium from "libsodium"

// With libsodium, which works in memory of its own. For texts as short as a variable's value, the setup in
// `node:crypto` costs several times as much as the encryption: docs/decisions/013.

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
/** How much longer the sealed content is than the content. */
export const overheadBytes = nonceBytes + tagBytes

// In a module it finds no source of randomness by itself, so it gets Node's.
const sodium = await libsodium({ getRandomValue: () => randomBytes(4).readUInt32LE() })
// libsodium's manual asks for this before any other call.
if (sodium._sodium_init() < 0) throw new Error("libsodium could not be initialised")

/** A block of the library's memory, used for one text at a time: key, context, nonce, content, tag. */
interface Scratch {
  memory: Buffer
  start: number
  bytes: number
  /** The key in the block. It is copied only when it changes, because most texts use the same key as the one before. */
  key?: KeyObject
}

/** The most that a UTF-16 code unit takes in UTF-8. */
const maxBytesPerUnit = 3
// Enough for the longest value and its name. A longer text replaces the block with a larger one.
let scratch = allocateScratch(256 * 1024)

/** `firstByte`, then nonce, ciphertext and tag. */
export function encrypt(
  firstByte: number,
  { key, context, content }: { key: KeyObject; context: string; content: string | Uint8Array },
): Buffer {
  const { memory, start } = scratchFor(key, context, maxBytesPerUnit * content.length)
  const contextAt = start + keyBytes
  const contextLength = memory.write(context, contextAt)
  const firstAt = contextAt + contextLength
  const nonceAt = firstAt + 1
  const contentAt = nonceAt + nonceBytes
  memory[firstAt] = firstByte
  putNonce(memory, nonceAt)
  const length = typeof content === "string" ? memory.write(content, contentAt) : content.length
  if (typeof content !== "string") memory.set(content, contentAt)
  // biome-ignore format: in the order of the C function, whose 64-bit lengths are two numbers each
  const failed = sodium._crypto_aead_chacha20poly1305_ietf_encrypt(
    contentAt, 0, contentAt, length, 0, contextAt, contextLength, 0, 0, nonceAt, start,
  )
  // The block still contains the plain content, which must not be returned.
  if (failed) throw new Error("libsodium could not encrypt")
  const sealed = Buffer.allocUnsafe(1 + overheadBytes + length) // every byte is written by the next line
  memory.copy(sealed, 0, firstAt)
  return sealed
}

/** The content, or undefined if the nonce, the ciphertext, the tag, the key or the context is not the original one. */
export function decrypt(key: KeyObject, context: string, sealed: Uint8Array): Buffer | undefined {
  const { memory, start } = scratchFor(key, context, sealed.length)
  const contextAt = start + keyBytes
  const contextLength = memory.write(context, contextAt)
  const nonceAt = contextAt + contextLength
  const contentAt = nonceAt + nonceBytes
  memory.set(sealed, nonceAt)
  // biome-ignore format: as above
  const failed = sodium._crypto_aead_chacha20poly1305_ietf_decrypt(
    contentAt, 0, 0, contentAt, sealed.length - nonceBytes, 0, contextAt, contextLength, 0, nonceAt, start,
  )
  return failed ? undefined : Buffer.from(memory.subarray(contentAt, contentAt + sealed.length - overheadBytes))
}

/** A block that is large enough and starts with the key. */
function scratchFor(key: KeyObject, context: string, contentBytes: number): Scratch {
  const neededBytes = keyBytes + maxBytesPerUnit * context.length + 1 + overheadBytes + contentBytes
  if (neededBytes > scratch.bytes) {
    const larger = allocateScratch(neededBytes)
    larger.memory.fill(0, scratch.start, scratch.start + scratch.bytes)
    sodium._free(scratch.start)
    scratch = larger
  }
  if (scratch.key !== key) {
    scratch.memory.set(key.export(), scratch.start)
    scratch.key = key
  }
  return scratch
}

function allocateScratch(bytes: number): Scratch {
  const start = sodium._malloc(bytes)
  if (start === 0) throw new Error(`no memory to seal or open ${bytes} bytes`)
  // After `_malloc`, which may have moved the library into larger memory.
  return { memory: Buffer.from(sodium.HEAPU8.buffer), start, bytes }
}

// Generated in batches: twelve random bytes cost as much as thousands. Each nonce is used once.
const nonces = Buffer.alloc(nonceBytes * 512)
let usedBytes = nonces.length

function putNonce(memory: Buffer, at: number): void {
  if (usedBytes === nonces.length) {
    randomFillSync(nonces)
    usedBytes = 0
  }
  nonces.copy(memory, at, usedBytes, usedBytes + nonceBytes)
  usedBytes += nonceBytes
}
