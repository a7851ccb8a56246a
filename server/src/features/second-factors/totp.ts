import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto"
import { totpDigits, totpPeriodSeconds } from "@envkeep/contract"

// Time-based one-time passwords as in RFC 6238, with SHA-1: the only hash that every app knows. Its collisions do not
// matter in an HMAC.

/** How many steps the clock of a phone may be ahead or behind. */
const driftSteps = 1

export function stepAt(now: number): number {
  return Math.floor(now / 1000 / totpPeriodSeconds)
}

export function codeAt(secret: KeyObject, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac("sha1", secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** totpDigits).padStart(totpDigits, "0")
}

/** The time step that the code belongs to. Looks at every step, so that the time it takes shows nothing. */
export function stepOfCode(secret: KeyObject, code: string, now: number): number | undefined {
  let found: number | undefined
  for (let step = stepAt(now) - driftSteps; step <= stepAt(now) + driftSteps; step++) {
    if (isSame(codeAt(secret, step), code)) found = step
  }
  return found
}

function isSame(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}

const base32Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

/** As RFC 4648 writes it, without padding, which apps do not want. */
export function base32(bytes: Uint8Array): string {
  let bits = ""
  for (const byte of bytes) bits += byte.toString(2).padStart(8, "0")
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => base32Letters.charAt(Number.parseInt(five.padEnd(5, "0"), 2)))
    .join("")
}

/** What a QR code holds: the format that Google Authenticator began and every app reads. */
export function otpauthUri(secret: Uint8Array, account: string): string {
  const parameters = `secret=${base32(secret)}&issuer=Envkeep&algorithm=SHA1&digits=${totpDigits}&period=${totpPeriodSeconds}`
  return `otpauth://totp/Envkeep:${encodeURIComponent(account)}?${parameters}`
}
