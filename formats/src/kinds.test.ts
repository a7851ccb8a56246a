import { expect, test } from "vitest"
import { fitsKind, type Kind } from "./kinds.ts"

const key = "-----BEGIN PRIVATE KEY-----\nMIIB\nVgIB==\n-----END PRIVATE KEY-----\n"
const legacyKey =
  "-----BEGIN RSA PRIVATE KEY-----\r\nProc-Type: 4,ENCRYPTED\r\nDEK-Info: AES-128-CBC,0A\r\n\r\nMIIB\r\n-----END RSA PRIVATE KEY-----"

const values: Record<Exclude<Kind, "choice">, { fits: string[]; not: string[] }> = {
  text: { fits: ["", " ", "any\nthing"], not: [] },
  number: {
    fits: ["0", "-1", "+1", "3.14", ".5", "5.", "1e3", "1E-3", "007"],
    not: ["", " 1", "1 ", "1,000", "1_000", "0x10", "NaN", "Infinity", "1e", ".", "1.2.3", "12px"],
  },
  boolean: { fits: ["true", "FALSE", "1", "0", "yes", "No", "on", "off"], not: ["", "2", "t", "true ", "enabled"] },
  url: {
    fits: [
      "https://example.com",
      "http://localhost:3000/path?x=1#y",
      "postgres://user:p%40ss@db:5432/app",
      "mongodb://a:27017,b:27017/app",
      "jdbc:postgresql://db/app",
      "redis://:secret@cache",
      "file:///var/lib",
    ],
    not: ["", "example.com", "localhost:3000", "https://", "https://exa mple.com", "http://:80", "//example.com"],
  },
  port: { fits: ["1", "80", "65535"], not: ["", "0", "65536", "99999", "080", "-1", "80.0", "http"] },
  email: {
    fits: ["a@example.com", "first.last+tag@sub.example.co.uk", "root@localhost", "ü@exämple.de"],
    not: ["", "a", "a@b", "@example.com", "a@b@example.com", "Ann <a@example.com>", "a@example.com,b@example.com"],
  },
  json: { fits: ["{}", "[1, 2]", '"text"', "null", '{"a":{"b":[true]}}'], not: ["", "{", "{'a':1}", "undefined"] },
  pem: {
    fits: [key, key + key, legacyKey, `subject=CN\n${key}`],
    not: [
      "",
      "MIIB",
      key.replaceAll("\n", "\\n"),
      key.replaceAll("\n", " "),
      key.replace("END PRIVATE", "END PUBLIC"),
      key.replace("-----END PRIVATE KEY-----\n", ""),
      key.replace("MIIB", "not base64!"),
    ],
  },
  base64: {
    fits: ["aGVsbG8=", "aGVsbG8", "_-_-", "+/+/", "AAAA\nBBBB\n"],
    not: ["", "a", "aGVsbG8==", "a b", "=", "+/_-", "hällo"],
  },
}

test.each(Object.entries(values))("what fits the kind %s", (kind, { fits, not }) => {
  const rule = { kind: kind as Kind, choices: [] }
  expect(fits.filter((value) => !fitsKind(rule, value))).toEqual([])
  expect(not.filter((value) => fitsKind(rule, value))).toEqual([])
})

test("a choice is one of its list, exactly", () => {
  const rule = { kind: "choice" as const, choices: ["dev", "Production", "a b"] }
  expect(["dev", "Production", "a b"].every((value) => fitsKind(rule, value))).toBe(true)
  expect(["", "DEV", "dev ", "a"].some((value) => fitsKind(rule, value))).toBe(false)
})

/** What makes expressions that try every way slow: their time would grow with the square of the length, or faster. */
const hostile = [
  "1".repeat(65_536),
  `${"1".repeat(65_535)}x`,
  `${"a.".repeat(32_767)}@`,
  `a@${"a.".repeat(32_767)}`,
  `a@${"-".repeat(65_000)}!`,
  `a:${":".repeat(65_000)}`,
  `${"A".repeat(65_535)}=x`,
  `${"a-".repeat(32_767)}+`,
  "[".repeat(65_536),
  `-----BEGIN ${"A ".repeat(30_000)}`,
  `-----BEGIN A-----\n${"a: ".repeat(20_000)}`,
  "-----BEGIN A-----\n".repeat(3_000),
]

test("every kind judges the longest values at once", () => {
  for (const kind of Object.keys(values) as Kind[]) {
    for (const value of hostile) expect(fitsKind({ kind, choices: [] }, value)).toBeTypeOf("boolean")
  }
})
