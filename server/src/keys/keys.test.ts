import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"
import { testOnce as test } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"
import { hashing, hashPassword, isOutdated, passwordMatches } from "./password.ts"
import { keyOf, seal, unseal } from "./seal.ts"
import { newWrappedKey, openSecret, sealSecret, unwrapDataKey } from "./secrets.ts"
import { checksum, hashToken, newApiKey, newSessionToken } from "./token.ts"

const key = keyOf(Buffer.alloc(32, 7))

test("any content can be sealed and opened again", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), fc.array(fc.string()), (content, context) => {
      expect(unseal(key, seal(key, content, context), context)).toEqual(Buffer.from(content))
    }),
  )
})

test.each([
  ["first", "AQAAAAAAAAAAAAAAABe5yMeesvt3dpocDmBF9g5yvHgED/pVAeNK"],
  ["second", "AgAAAAAAAAAAAAAAAEHlRXkFS/RiV+/PEMGHucDpaOlvZOZBlm6i"],
])("a value sealed earlier in the %s version still opens: the format on disk does not change", (_, stored) => {
  const sealed = Buffer.from(stored, "base64")
  expect(unseal(key, sealed, ["item", 1, "NAME"])?.toString()).toBe("value 🗝")
  for (const bit of [0, 8, 8 * 13, 8 * sealed.length - 1]) {
    const damaged = Buffer.from(sealed)
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(unseal(key, damaged, ["item", 1, "NAME"])).toBeUndefined()
  }
})

test("a seal is ChaCha20-Poly1305, with its nonce before the content and its tag after it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string(), (content, name) => {
      const context = Buffer.from(JSON.stringify(["item", 1, name]))
      const ours = seal(key, content, ["item", 1, name])
      const theirs = createDecipheriv("chacha20-poly1305", key, ours.subarray(1, 13), { authTagLength: 16 })
        .setAAD(context, { plaintextLength: ours.length - 29 })
        .setAuthTag(ours.subarray(-16))
      const opened = Buffer.concat([theirs.update(ours.subarray(13, -16)), theirs.final()])
      expect(opened.toString()).toBe(content)

      const nonce = randomBytes(12)
      const cipher = createCipheriv("chacha20-poly1305", key, nonce, { authTagLength: 16 })
      cipher.setAAD(context, { plaintextLength: Buffer.byteLength(content) })
      const body = [cipher.update(content, "utf8"), cipher.final(), cipher.getAuthTag()]
      expect(unseal(key, Buffer.concat([Buffer.of(2), nonce, ...body]), ["item", 1, name])?.toString()).toBe(content)
    }),
  )
})

test("very long texts can be opened again, and so can a short one sealed before them", () => {
  const before = seal(key, "short", ["a"])
  for (const length of [64 * 1024, 87_000, 2_000_000]) {
    const text = "€".repeat(length)
    expect(unseal(key, seal(key, text, ["x".repeat(length)]), ["x".repeat(length)])?.equals(Buffer.from(text))).toBe(
      true,
    )
  }
  expect(unseal(key, before, ["a"])?.toString()).toBe("short")
})

test("opening or sealing does not change earlier results", () => {
  const other = keyOf(randomBytes(32))
  const sealed = [seal(key, "one", []), seal(other, "two", []), seal(key, "three", [])]
  const opened = [unseal(key, sealed[0] ?? key.export(), []), unseal(other, sealed[1] ?? key.export(), [])]
  expect(unseal(other, sealed[2] ?? key.export(), [])).toBeUndefined()
  expect(opened.map(String)).toEqual(["one", "two"])
})

test("a seal does not open if one bit has changed, with another key or in another context", () => {
  const sealed = seal(key, "value", ["item", 1, "NAME"])
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const damaged = Buffer.from(sealed)
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    expect(unseal(key, damaged, ["item", 1, "NAME"])).toBeUndefined()
  }
  expect(unseal(keyOf(randomBytes(32)), sealed, ["item", 1, "NAME"])).toBeUndefined()
  for (const context of [["item", 2, "NAME"], ["item", 1, "OTHER"], ["item", "1", "NAME"], ["item", 1], []]) {
    expect(unseal(key, sealed, context)).toBeUndefined()
  }
  for (const length of [0, 1, 28]) expect(unseal(key, sealed.subarray(0, length), ["item", 1, "NAME"])).toBeUndefined()
})

test("the same value sealed twice never gives the same bytes", () => {
  const sealed = Array.from({ length: 2_000 }, () => seal(key, "value", []))
  const ivs = sealed.map((one) => one.subarray(1, 13).toString("hex"))
  expect(new Set(ivs).size).toBe(2_000)
  for (const one of sealed) expect(unseal(key, one, [])?.toString()).toBe("value")
})

test("a collection's key opens for that collection only, and a damaged key makes its secrets unreadable", () => {
  const rootKey = keyOf(randomBytes(32))
  const wrapped = newWrappedKey(rootKey, ["collection", 5])
  const dataKey = unwrapDataKey([rootKey], 5, wrapped)
  expect(dataKey?.symmetricKeySize).toBe(32)
  expect(unwrapDataKey([rootKey], 6, wrapped)).toBeUndefined()

  const context = { kind: "item", environmentId: 1, name: "A" } as const
  const sealed = sealSecret(key, "secret", context)
  expect(openSecret(key, sealed, context)).toBe("secret")
  expect(openSecret(undefined, sealed, context)).toBeNull()
  expect(openSecret(key, sealed, { ...context, kind: "api-key" })).toBeNull()
})

test("a password hash matches only its own password, in any script and up to the maximum length", async () => {
  for (const password of ["password", "пароль 🔑 pass", "x".repeat(256)]) {
    const stored = await hashPassword(password, "test")
    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
    expect(isOutdated(stored)).toBe(false)
    expect(await passwordMatches(stored, password, "test")).toBe(true)
    expect(await passwordMatches(stored, `${password}x`, "test")).toBe(false)
  }
  expect(await passwordMatches(undefined, "password", "test")).toBe(false)
})

test("one or two passwords are hashed at a time, and callers take turns", async () => {
  const finished: string[] = []
  const hashFor = async (caller: string) => {
    await hashPassword("correct horse", caller)
    finished.push(caller)
  }
  const all = Promise.all([...Array.from({ length: 6 }, () => hashFor("busy")), hashFor("other")])
  const taken = availableParallelism() > 2 ? 2 : 1
  expect(hashing.state()).toEqual({ taken, waiting: 7 - taken })
  await all
  expect(finished.indexOf("other")).toBeLessThan(4)
  expect(hashing.state()).toEqual({ taken: 0, waiting: 0 })
})

test("tokens are long, random and well formed", () => {
  const keys = Array.from({ length: 1_000 }, newApiKey)
  expect(new Set(keys).size).toBe(1_000)
  for (const one of keys) {
    expect(one).toMatch(/^ek_[0-9A-Za-z]{46}$/)
    expect(checksum(one.slice(0, -6))).toBe(one.slice(-6))
  }
  expect(Buffer.from(newSessionToken(), "base64url")).toHaveLength(32)
})

test.each([
  ["", "000000"],
  ["123456789", "3jZRME"],
  ["ek_0000000000000000000000000000000000000000", "0f0awp"],
])("the checksum of %j is %s", (text, digits) => {
  expect(checksum(text)).toBe(digits)
})

test("a key with one wrong character never has the right checksum", () => {
  const one = newApiKey()
  for (let at = 3; at < one.length; at++) {
    const typo = one.slice(0, at) + (one[at] === "x" ? "y" : "x") + one.slice(at + 1)
    expect(checksum(typo.slice(0, -6))).not.toBe(typo.slice(-6))
  }
})

test("a token's hash is its SHA-256", () => {
  expect(hashToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
})
