import { createHmac } from "node:crypto"
import type { RecoveryCodes } from "@envkeep/contract"
import type { Answer, Person } from "./person.ts"

// An authenticator app as people have it on their phone, written independently of the server.

const stepMs = 30_000
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"

function decodeBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("")
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

/** The code that the app shows at a time. */
export function codeOf(secret: string, at = Date.now()): string {
  const counter = Buffer.alloc(8)
  counter.writeUInt32BE(Math.floor(at / stepMs), 4)
  const mac = createHmac("sha1", decodeBase32(secret)).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) as number) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, "0")
}

/** The code that comes next: it is accepted already, and the one that was just used is not any more. */
export const nextCodeOf = (secret: string) => codeOf(secret, Date.now() + stepMs)

export interface Authenticator {
  secret: string
  recoveryCodes: string[]
  /** The code that switched it on. */
  usedCode: string
}

/** Switches an authenticator app on. The current code is used then. */
export async function setUpTotp(person: Person): Promise<Authenticator> {
  const { secret } = (await person.post<{ secret: string }>("/users/me/totp")).body.data
  const usedCode = codeOf(secret)
  const { body } = await person.post<RecoveryCodes>("/users/me/totp/confirm", { code: usedCode })
  if (body.error) throw new Error(`the app was not switched on: ${body.msg}`)
  return { secret, usedCode, recoveryCodes: body.data.recoveryCodes }
}

/** Both steps of a login. */
export async function logInWithCode(
  person: Person,
  { email, password, code }: { email: string; password: string; code: string },
): Promise<Answer> {
  await person.post("/users/login", { email, password })
  return person.post("/users/login/code", { code })
}
