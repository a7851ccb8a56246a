import { createCipheriv, createDecipheriv, createHash, type KeyObject, randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { testOnce as test } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"
import { decrypt, encrypt } from "./chacha20-poly1305.ts"
import { keyOf, seal, unseal } from "./seal.ts"
import {
  canaryOpens,
  crossBridge,
  type KeyContext,
  openSecret,
  type SealContext,
  type TextContext,
  unwrapKey,
} from "./secrets.ts"

// Stores in the field hold what libsodium sealed. The file was written with version 0.8.4 of it: never write it again with
// anything else.

interface Sealed<Context> {
  context: Context
  sealed: string
}

interface Seals {
  rootKey: string
  nextRootKey: string
  dataKey: string
  /** Of the bytes of `contentOf`. */
  sizes: { bytes: number; sealed: string }[]
  /** Of `text`, and so are the secrets and the mail. */
  contexts: Sealed<(string | number)[]>[]
  text: string
  secrets: Sealed<SealContext>[]
  wrappedKeys: (Sealed<KeyContext> & { key: string })[]
  mail: Sealed<TextContext>
  canary: string
  bridge: Record<"next" | "previous", string>
}

const file = join(import.meta.dirname, "../../../testing/fixtures/seals-by-libsodium.json")
const stored: Seals = JSON.parse(readFileSync(file, "utf8"))
const rootKey = keyOf(bytesOf(stored.rootKey))
const nextRootKey = keyOf(bytesOf(stored.nextRootKey))
const dataKey = keyOf(bytesOf(stored.dataKey))
const ofSize = ["item", 1, "SIZE"]

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, "base64")
}

function contentOf(length: number): Buffer {
  return Buffer.from(Array.from({ length }, (_, at) => (at * 7 + 3) % 256))
}

test.each(stored.sizes)("$bytes bytes that libsodium sealed open", ({ bytes, sealed }) => {
  expect(unseal(dataKey, bytesOf(sealed), ofSize)).toEqual(contentOf(bytes))
})

test.each(stored.contexts)("what libsodium sealed for $context opens, and only there", ({ context, sealed }) => {
  expect(unseal(dataKey, bytesOf(sealed), context)?.toString()).toBe(stored.text)
  for (const other of stored.contexts.filter((one) => one.context !== context)) {
    expect(unseal(dataKey, bytesOf(sealed), other.context)).toBeUndefined()
  }
})

test("so does each kind of secret, wrapped key and text that a store holds", () => {
  for (const { context, sealed } of stored.secrets)
    expect(openSecret(dataKey, bytesOf(sealed), context)).toBe(stored.text)
  for (const { context, sealed, key } of stored.wrappedKeys) {
    expect(unwrapKey([nextRootKey, rootKey], context, bytesOf(sealed))?.export()).toEqual(bytesOf(key))
  }
  expect(unseal(rootKey, bytesOf(stored.mail.sealed), stored.mail.context)?.toString()).toBe(stored.text)
  expect(canaryOpens(rootKey, bytesOf(stored.canary))).toBe(true)
  expect(canaryOpens(nextRootKey, bytesOf(stored.canary))).toBe(false)
})

test("a server with either of two root keys finds the other", () => {
  const bridge = { next: bytesOf(stored.bridge.next), previous: bytesOf(stored.bridge.previous) }
  for (const key of [rootKey, nextRootKey]) {
    const found = crossBridge(key, bridge)
    expect([found?.previous.equals(rootKey), found?.next.equals(nextRootKey)]).toEqual([true, true])
  }
  expect(crossBridge(dataKey, bridge)).toBeUndefined()
})

test("damaged, cut or lengthened anywhere, or with another key, it does not open", () => {
  for (const { bytes, sealed } of stored.sizes.filter((one) => one.bytes <= 256)) {
    const whole = bytesOf(sealed)
    for (let at = 0; at < whole.length; at++) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8))
      expect([bytes, at, unseal(dataKey, damaged, ofSize)]).toEqual([bytes, at, undefined])
      expect([bytes, at, unseal(dataKey, whole.subarray(0, at), ofSize)]).toEqual([bytes, at, undefined])
    }
    expect(unseal(dataKey, Buffer.concat([whole, Buffer.of(0)]), ofSize)).toBeUndefined()
    expect(unseal(rootKey, whole, ofSize)).toBeUndefined()
  }
})

test("libsodium and node:crypto open what the other sealed, and refuse the same", () => {
  const sizes = [...stored.sizes.map(({ bytes }) => bytes), 65_536, 1_000_000]
  for (const length of sizes) expectBothToOpen(contentOf(length), ["item", 1, "NAME"])
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.string()), (content, context) => {
      expectBothToOpen(content, context)
    }),
  )
  for (const text of ["", "plain", "🗝 ключ", "a lone \ud800 half", "\udc00"]) {
    expect(byNode.open(dataKey, "", encrypt(2, { key: dataKey, context: "", content: text }))).toEqual(
      Buffer.from(text),
    )
  }
})

function expectBothToOpen(content: Uint8Array, parts: (string | number)[]): void {
  const context = JSON.stringify(parts)
  const digest = (bytes: Uint8Array | undefined) => bytes && createHash("sha256").update(bytes).digest("hex")
  const sealed = [seal(dataKey, content, parts), byNode.seal(dataKey, context, content)]
  for (const one of sealed) {
    expect(digest(decrypt(dataKey, context, one.subarray(1)))).toBe(digest(content))
    expect(digest(byNode.open(dataKey, context, one))).toBe(digest(content))
    const damaged = Buffer.from(one)
    const at = 1 + (randomBytes(4).readUInt32LE() % (one.length - 1))
    damaged[at] = (damaged[at] ?? 0) ^ 1
    for (const [key, place, bytes] of [
      [dataKey, context, damaged],
      [rootKey, context, one],
      [dataKey, `${context} `, one],
    ] as const) {
      expect(decrypt(key, place, bytes.subarray(1))).toBeUndefined()
      expect(byNode.open(key, place, bytes)).toBeUndefined()
    }
  }
}

const byNode = {
  seal(key: KeyObject, context: string, content: Uint8Array): Buffer {
    const nonce = randomBytes(12)
    const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 })
    cipher.setAAD(Buffer.from(context), { plaintextLength: content.length })
    return Buffer.concat([Buffer.of(2), nonce, cipher.update(content), cipher.final(), cipher.getAuthTag()])
  },
  open(key: KeyObject, context: string, sealed: Buffer): Buffer | undefined {
    const decipher = createDecipheriv("chacha20-poly1305", key, sealed.subarray(1, 13), { authTagLength: 16 })
      .setAAD(Buffer.from(context), { plaintextLength: sealed.length - 29 })
      .setAuthTag(sealed.subarray(-16))
    const content = decipher.update(sealed.subarray(13, -16))
    try {
      return Buffer.concat([content, decipher.final()])
    } catch {
      return undefined
    }
  },
}
