/// <reference path="./libsodium.d.ts" />
import { type KeyObject, randomBytes, randomFillSync } from "node:crypto"
import libsodium from "libsodium"

// By libsodium, which works on memory of its own. For a text as short as a variable's value, what `node:crypto` sets up
// each time costs several times the work itself: docs/decisions/013.

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16
/** By how much the sealed content is longer than the content. */
export const overheadBytes = nonceBytes + tagBytes

// In a module it finds no source of randomness by itself, so it gets Node's.
const sodium = await libsodium({ getRandomValue: () => randomBytes(4).readUInt32LE() })
// libsodium's manual asks for this before any other call.
if (sodium._sodium_init() < 0) throw new Error("libsodium could not be initialised")

/** A piece of the library's memory, used for one text at a time: key, context, nonce, content, tag. */
interface Room {
  memory: Buffer
  start: number
  bytes: number
  /** Whose bytes stand there: mostly the next text comes with the same key. */
  key?: KeyObject
}

// What a UTF-16 unit takes at most in UTF-8.
const bytesPerUnit = 3
// Enough for the longest value and its name; whatever is longer makes more room for itself.
let room = makeRoom(256 * 1024)

/** Nonce, ciphertext and tag, behind `first`. */
export function encrypt(
  first: number,
  { key, context, content }: { key: KeyObject; context: string; content: string | Uint8Array },
): Buffer {
  const { memory, start } = roomFor(key, context, bytesPerUnit * content.length)
  const contextAt = start + keyBytes
  const contextLength = memory.write(context, contextAt)
  const firstAt = contextAt + contextLength
  const nonceAt = firstAt + 1
  const contentAt = nonceAt + nonceBytes
  memory[firstAt] = first
  putNonce(memory, nonceAt)
  const length = typeof content === "string" ? memory.write(content, contentAt) : content.length
  if (typeof content !== "string") memory.set(content, contentAt)
  // biome-ignore format: in the order of the C function, whose 64-bit lengths are two numbers each
  const refused = sodium._crypto_aead_chacha20poly1305_ietf_encrypt(
    contentAt, 0, contentAt, length, 0, contextAt, contextLength, 0, 0, nonceAt, start,
  )
  // The content stands where the ciphertext should: it must not leave this place.
  if (refused) throw new Error("libsodium did not seal")
  const sealed = Buffer.allocUnsafe(1 + overheadBytes + length) // every byte is written by the next line
  memory.copy(sealed, 0, firstAt)
  return sealed
}

/** The content of a nonce, a ciphertext and a tag; nothing when any of them, the key or the context is not as it was. */
export function decrypt(key: KeyObject, context: string, sealed: Uint8Array): Buffer | undefined {
  const { memory, start } = roomFor(key, context, sealed.length)
  const contextAt = start + keyBytes
  const contextLength = memory.write(context, contextAt)
  const nonceAt = contextAt + contextLength
  const contentAt = nonceAt + nonceBytes
  memory.set(sealed, nonceAt)
  // biome-ignore format: as above
  const refused = sodium._crypto_aead_chacha20poly1305_ietf_decrypt(
    contentAt, 0, 0, contentAt, sealed.length - nonceBytes, 0, contextAt, contextLength, 0, nonceAt, start,
  )
  return refused ? undefined : Buffer.from(memory.subarray(contentAt, contentAt + sealed.length - overheadBytes))
}

/** With the key in its place. */
function roomFor(key: KeyObject, context: string, contentBytes: number): Room {
  const needed = keyBytes + bytesPerUnit * context.length + 1 + overheadBytes + contentBytes
  if (needed > room.bytes) {
    const larger = makeRoom(needed)
    larger.memory.fill(0, room.start, room.start + room.bytes)
    sodium._free(room.start)
    room = larger
  }
  if (room.key !== key) {
    room.memory.set(key.export(), room.start)
    room.key = key
  }
  return room
}

function makeRoom(bytes: number): Room {
  const start = sodium._malloc(bytes)
  if (start === 0) throw new Error(`no memory to seal or open ${bytes} bytes`)
  // Looked up only now: to make room, the library may have moved into larger memory.
  return { memory: Buffer.from(sodium.HEAPU8.buffer), start, bytes }
}

// Drawn many at a time: asking for twelve random bytes costs as much as asking for thousands. Each is used once.
const drawn = Buffer.alloc(nonceBytes * 512)
let used = drawn.length

function putNonce(memory: Buffer, at: number): void {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  drawn.copy(memory, at, used, used + nonceBytes)
  used += nonceBytes
}
