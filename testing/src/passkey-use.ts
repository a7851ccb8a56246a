import {
  type AddedPasskey,
  type Passkey,
  type PasskeyCreation,
  type PasskeyRequest,
  sentences,
} from "@envkeep/contract"
import { expect } from "vitest"
import type { TestApp } from "./app.ts"
import type { Authenticator } from "./passkeys.ts"
import { type Person, person } from "./person.ts"

// What people do with passkeys in their browsers.

export const beginAdding = async (user: Person, headers = {}) =>
  (await user.post<PasskeyCreation>("/users/me/passkeys/begin", {}, headers)).body.data

export async function addPasskey(user: Person, key: Authenticator, name = "laptop"): Promise<AddedPasskey> {
  const answer = key.create(await beginAdding(user))
  const added = await user.post<AddedPasskey>("/users/me/passkeys", { name, answer })
  expect(added).toMatchObject({ status: 201, body: { msg: "Passkey added successfully" } })
  return added.body.data
}

export const beginSignIn = async (guest: Person, headers = {}) =>
  (await guest.post<PasskeyRequest>("/users/login/passkey/begin", {}, headers)).body.data

export async function signIn({ app }: TestApp, key: Authenticator, other: Parameters<Authenticator["get"]>[1] = {}) {
  const browser = person(app)
  const answered = await browser.post("/users/login/passkey", { answer: key.get(await beginSignIn(browser), other) })
  return { browser, answered }
}

export const listed = async (user: Person) => (await user.get<Passkey[]>("/users/me/passkeys")).body.data

export const refused = { status: 401, body: { error: true, msg: sentences.passkeyRefused, data: null } }
export const tooLate = { status: 401, body: { msg: sentences.passkeyExpired } }
