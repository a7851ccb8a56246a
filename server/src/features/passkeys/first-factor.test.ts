import type { ActivityPage, AddedPasskey, RecoveryCodes, SecondFactors } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { addPasskey as add, beginAdding, listed } from "@envkeep/testing/passkey-use.ts"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const codesLeft = async (user: Person) =>
  (await user.get<SecondFactors>("/users/me/second-factors")).body.data.recoveryCodesLeft

/** Both steps of a login. */
async function logInWith(browser: Person, email: string, code: string | undefined): Promise<number> {
  await browser.post("/users/login", { email, password })
  return (await browser.post("/users/login/recovery-code", { code })).status
}

testOnce("the first passkey of an account comes with recovery codes, once, and they go with the last", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id, recoveryCodes: codes = [] } = await add(ann, authenticator(), "laptop")
  expect(codes).toHaveLength(10)
  expect(new Set(codes).size).toBe(10)
  const second = await add(ann, authenticator(), "phone")
  expect(second).not.toHaveProperty("recoveryCodes")
  const renamed = await ann.put<object>(`/users/me/passkeys/${id}`, { name: "old laptop" })
  for (const shown of [renamed.body.data, ...(await listed(ann))]) expect(shown).not.toHaveProperty("recoveryCodes")
  const stored = await app.db.selectFrom("recovery_code").selectAll().execute()
  expect(stored).toHaveLength(10)
  for (const code of codes) expect(JSON.stringify(stored)).not.toContain(code.replaceAll("-", ""))

  const browser = person(app.app)
  expect(await logInWith(browser, ann.email, codes[0]?.toLowerCase())).toBe(200)
  expect(await logInWith(person(app.app), ann.email, codes[0])).toBe(401)
  expect(await codesLeft(browser)).toBe(9)
  const made = (await ann.post<RecoveryCodes>("/users/me/recovery-codes")).body.data.recoveryCodes
  expect(await logInWith(person(app.app), ann.email, codes[1])).toBe(401)
  expect(await logInWith(person(app.app), ann.email, made[1])).toBe(200)

  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  const aboutFactors = events.map(({ action }) => action).filter((action) => /^(passkey|recovery)/.test(action))
  expect(aboutFactors.toReversed()).toEqual([
    "passkey.add",
    "passkey.add",
    "passkey.rename",
    "recovery-code.use",
    "recovery-codes.create",
    "recovery-code.use",
  ])

  await ann.delete(`/users/me/passkeys/${id}`)
  expect(await codesLeft(ann)).toBe(9)
  await ann.delete(`/users/me/passkeys/${second.id}`)
  expect(await codesLeft(ann)).toBe(0)
  expect((await person(app.app).post("/users/login", { email: ann.email, password })).status).toBe(200)
  const again = await add(ann, authenticator(), "new laptop")
  expect(again.recoveryCodes).toHaveLength(10)
  expect(await logInWith(person(app.app), ann.email, made[2])).toBe(401)
  expect(await logInWith(person(app.app), ann.email, again.recoveryCodes?.[2])).toBe(200)
})

testOnce("a passkey beside an app leaves its recovery codes, and an app beside a passkey brings new ones", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { recoveryCodes } = await setUpTotp(ann)
  expect(await add(ann, authenticator())).not.toHaveProperty("recoveryCodes")
  expect(await logInWith(person(app.app), ann.email, recoveryCodes[0])).toBe(200)
  await ann.delete("/users/me/totp")
  expect(await codesLeft(ann)).toBe(9)

  const { recoveryCodes: first = [] } = await add(bob, authenticator())
  const later = await setUpTotp(bob)
  expect(await logInWith(person(app.app), bob.email, first[0])).toBe(401)
  expect(await logInWith(person(app.app), bob.email, later.recoveryCodes[0])).toBe(200)
})

test("of two passkeys that are added at the same time, one is the first", async () => {
  const app = await testApp()
  const ann = await app.user()
  const keys = [authenticator(), authenticator()]
  const answers: unknown[] = []
  for (const key of keys) answers.push(key.create(await beginAdding(ann)))
  const added = await Promise.all(
    answers.map((answer) => ann.post<AddedPasskey>("/users/me/passkeys", { name: "laptop", answer })),
  )
  expect(added.map(({ status }) => status)).toEqual([201, 201])
  const codes = added.flatMap(({ body }) => body.data.recoveryCodes ?? [])
  expect(codes).toHaveLength(10)
  expect(await logInWith(person(app.app), ann.email, codes[9])).toBe(200)
})
