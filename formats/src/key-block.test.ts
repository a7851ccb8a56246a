import { generateKeyPairSync } from "node:crypto"
import { expect, test } from "vitest"
import { detectSyntax, readImport, type Syntax } from "./import/index.ts"
import { parseDotenv } from "./parse-dotenv.ts"

/** Made for this test, and used nowhere. */
const openssh = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW
QyNTUxOQAAACCv8/QwXxnIl56ed2GcucCMFG94iRHuT6MLt+uKwZ0CjgAAAIgyIdpaMiHa
WgAAAAtzc2gtZWQyNTUxOQAAACCv8/QwXxnIl56ed2GcucCMFG94iRHuT6MLt+uKwZ0Cjg
AAAEC4tGrK+IdA7HD6PHnOeYo8x9ipEWsmd6AI8Fn7kvO4EK/z9DBfGciXnp53YZy5wIwU
b3iJEe5Powu364rBnQKOAAAABHRlc3QB
-----END OPENSSH PRIVATE KEY-----
`

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const encrypted = `-----BEGIN RSA PRIVATE KEY-----
Proc-Type: 4,ENCRYPTED
DEK-Info: AES-128-CBC,9A8B7C6D

MIIBOgIBAAJBAKj34GkxFhD90vcNLYLInFEX6Ppy1tPf9Cnzj4p4WGeKLs1Pt8Qu
TQ==
-----END RSA PRIVATE KEY-----
`
const pgp = `-----BEGIN PGP PUBLIC KEY BLOCK-----
Version: GnuPG v2

mQENBFJGqDcBCADPiR1hrBPXzqFYmH4EZQ7EmQYyZVOoBVfLQwZQqgXN6ZbBGOHl
abcd
=WjoK
-----END PGP PUBLIC KEY BLOCK-----
`
const keys = {
  "an RSA key": privateKey.export({ type: "pkcs1", format: "pem" }).toString(),
  "a PKCS 8 key": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  "an OpenSSH key": openssh,
  "an encrypted key": encrypted,
  "a PGP key": pgp,
}
const padded = "-----BEGIN KEY-----\nabcd\nTQ==\nTQ=\n-----END KEY-----\n"

const unnamed = 'it is a key or certificate without a name: write it as NAME="…"'
const syntaxes: Syntax[] = ["dotenv", "shell", "systemd", "raw"]

test.each(Object.entries({ ...keys, "lines that end in ==": padded }))(
  "%s without a name is one fault, and its lines are no names",
  async (_, key) => {
    expect(parseDotenv(key)).toEqual({ variables: [], faults: [{ line: 1, reason: unnamed }] })
    const { entries, faults } = await readImport(key)
    expect({ entries, faults }).toEqual({ entries: [], faults: [{ line: 1, reason: unnamed }] })
    for (const syntax of syntaxes) {
      for (const text of [`A=1\n${key}B=2\n`, `A=1\n${key}B=2\n`.replaceAll("\n", "\r\n")]) {
        const read = await readImport(text, syntax)
        const names = read.entries.map(({ name, line }) => [name, line])
        const faulty = { names, faults: read.faults }
        const after = text.split("\n").indexOf(text.includes("\r") ? "B=2\r" : "B=2") + 1
        expect(faulty, syntax).toEqual({
          names: [
            ["A", 1],
            ["B", after],
          ],
          faults: [{ line: 2, reason: unnamed }],
        })
      }
    }
  },
)

test("two keys are two faults", () => {
  const { variables, faults } = parseDotenv(`${padded}${padded}A=1`)
  expect(variables).toEqual([{ name: "A", value: "1" }])
  expect(faults.map(({ line }) => line)).toEqual([1, 6])
})

test("a key without its end, or without its beginning, offers no names", () => {
  const [head = "", ...body] = keys["an RSA key"].trimEnd().split("\n")
  const lines = body.slice(0, -1)
  for (const part of [[head, ...lines], [...lines, body.at(-1)], lines, lines.slice(-2)]) {
    expect(parseDotenv(`A=1\n${part.join("\n")}\n\nB=2`).variables.map(({ name }) => name)).toEqual(["A", "B"])
  }
})

test.each(["dotenv", "shell"] as const)(
  "a key with a name and no quotes, read as %s, offers no names of its lines",
  async (syntax) => {
    const text = `export K=${padded}B=2\n`
    const { entries, faults } = await readImport(text, syntax)
    if (syntax === "dotenv") {
      expect({ faults, entries }).toMatchObject({ faults: [], entries: [{ name: "K" }, { name: "B" }] })
      expect(entries[0]?.value).toBe(padded.trimEnd())
      expect(parseDotenv(text).variables.map(({ name }) => name)).toEqual(["B"])
    } else expect(entries.map(({ name }) => name)).toEqual(["B"])
    const reason = "its key or certificate of several lines needs quotes"
    expect(syntax === "dotenv" ? parseDotenv(text).faults : faults).toEqual([{ line: 1, reason }])
  },
)

test("a key in quotes, on one line, or in a comment is what it was", () => {
  expect(parseDotenv(`K="${padded}"`).variables).toEqual([{ name: "K", value: padded }])
  const one = padded.replaceAll("\n", "\\n")
  expect(parseDotenv(`K=${one}`).variables).toEqual([{ name: "K", value: one }])
  expect(parseDotenv("K=-----BEGIN KEY-----\n# c\nB=1").variables).toHaveLength(2)
  expect(parseDotenv(padded.replaceAll(/^/gm, "# "))).toEqual({ variables: [], faults: [] })
  expect(detectSyntax(padded)).toBe("dotenv")
})

test("a name is long base64 only if names are not written so", () => {
  expect(parseDotenv(`${"A".repeat(60)}=\nSOME_${"Name1".repeat(20)}=`).faults).toEqual([])
})
