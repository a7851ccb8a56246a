import { expect, test } from "vitest"
import { type FindingKind, lintImport, repaired } from "./index.ts"

const body = `${"MIIB".repeat(16)}${"abcd".repeat(16)}TQ==`
const wholePem = `-----BEGIN KEY-----\n${"MIIB".repeat(16)}\n${"abcd".repeat(16)}\nTQ==\n-----END KEY-----\n`

test.each<[string, FindingKind[], string | null]>([
  ["“two words”", ["typographicQuotes"], "two words"],
  ["{“a”: ‘b’}", ["typographicQuotes"], "{\"a\": 'b'}"],
  ['"quoted"', ["doubledQuotes"], "quoted"],
  [" “both” ", ["straySpaces", "typographicQuotes"], "both"],
  ["secret\n", ["straySpaces"], "secret"],
  ["a\u00a0b\u200b", ["invisibleCharacters"], "a b"],
  [`-----BEGIN KEY-----${body}-----END KEY-----`, ["brokenPem"], wholePem],
  [`-----BEGIN KEY-----\\n${body}\\n-----END KEY-----\\n`.slice(0, -2), ["brokenPem"], wholePem],
  [`-----BEGIN KEY----- ${body.slice(0, 64)} ${body.slice(64)} -----END KEY-----`, ["brokenPem"], wholePem],
  ["changeme", ["placeholder"], null],
])("%j is repaired", (value, kinds, expected) => {
  expect(repaired(value, kinds)).toBe(expected)
  // A repair settles what it was made for.
  if (expected === null) return
  const left = lintImport([{ line: 1, name: "A", value: expected }], { environmentName: "dev", isProtected: false })
  expect(left.filter(({ kind }) => kinds.at(-1) === kind)).toEqual([])
})

test("local addresses and test keys are suspicious only where production is", () => {
  const entries = [
    { line: 1, name: "URL", value: "http://localhost:3000" },
    { line: 2, name: "KEY", value: "sk_test_abc" },
  ]
  const kinds = (environmentName: string, isProtected = false) =>
    lintImport(entries, { environmentName, isProtected }).map(({ kind }) => kind)
  expect(kinds("production")).toEqual(["localAddress", "testKey"])
  expect(kinds("eu-prod-1")).toEqual(["localAddress", "testKey"])
  expect(kinds("customers", true)).toEqual(["localAddress", "testKey"])
  expect(kinds("staging")).toEqual([])
  expect(kinds("products")).toEqual([])
})
