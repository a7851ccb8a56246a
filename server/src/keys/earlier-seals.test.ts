import { readFileSync } from "node:fs"
import { join } from "node:path"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { keyOf, unseal } from "./seal.ts"
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
