import { createSecretKey } from "node:crypto"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { base32, codeAt, otpauthUri, stepAt, stepOfCode } from "./totp.ts"

const secret = createSecretKey(Buffer.from("12345678901234567890"))

// Appendix B of RFC 6238: the last six of its eight digits.
test.each([
  [59, "287082"],
  [1_111_111_109, "081804"],
  [1_111_111_111, "050471"],
  [1_234_567_890, "005924"],
  [2_000_000_000, "279037"],
  [20_000_000_000, "353130"],
])("at second %i the code is the one of RFC 6238: %s", (seconds, code) => {
  expect(codeAt(secret, stepAt(seconds * 1000))).toBe(code)
})

test("a code is found one step before and after its time, and no further", () => {
  const now = 1_234_567_890_000
  const found = [-2, -1, 0, 1, 2].map((drift) => stepOfCode(secret, codeAt(secret, stepAt(now) + drift), now))
  expect(found).toEqual([undefined, stepAt(now) - 1, stepAt(now), stepAt(now) + 1, undefined])
  for (const other of ["", "28708", "2870820", "abcdef", "２８７０８２"])
    expect(stepOfCode(secret, other, now)).toBeUndefined()
})

test("base32 is that of RFC 4648, without padding", () => {
  const encoded = ["", "f", "fo", "foo", "foob", "fooba", "foobar"].map((text) => base32(Buffer.from(text)))
  expect(encoded).toEqual(["", "MY", "MZXQ", "MZXW6", "MZXW6YQ", "MZXW6YTB", "MZXW6YTBOI"])
})

test("the address for the QR code names the account, whatever characters its e-mail has", () => {
  const uri = otpauthUri(secret.export(), "ann+x&y=z?#%@exämple.com")
  const { protocol, host, pathname, searchParams } = new URL(uri)
  expect([protocol, host, decodeURIComponent(pathname)]).toEqual([
    "otpauth:",
    "totp",
    "/Envkeep:ann+x&y=z?#%@exämple.com",
  ])
  expect(Object.fromEntries(searchParams)).toEqual({
    secret: "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ",
    issuer: "Envkeep",
    algorithm: "SHA1",
    digits: "6",
    period: "30",
  })
})
