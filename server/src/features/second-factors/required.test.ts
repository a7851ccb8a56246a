import { type Call, type CreatedToken, calls, type SecondFactors, sentences, type User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { table, unknownIds } from "../../../test/access/samples.ts"

const open = new Set<Call>([
  calls.users.logout,
  calls.users.confirm,
  calls.secondFactors.status,
  calls.secondFactors.beginTotp,
  calls.secondFactors.confirmTotp,
  calls.secondFactors.removeTotp,
  calls.secondFactors.createRecoveryCodes,
  calls.passkeys.list,
  calls.passkeys.beginAdding,
  calls.passkeys.add,
  calls.passkeys.beginConfirming,
  calls.passkeys.confirm,
  calls.identities.list,
  calls.identities.confirm,
])
const required = { status: 403, body: { error: true, msg: sentences.secondFactorRequired, data: null } }

const needsFactor = async (person: Person) => (await person.get<User>("/users/me")).body.data.needsSecondFactor ?? false

testOnce("where all need a second factor, a user without one can only set it up", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = await app.user()
  expect(await person(app.app).post("/users/login", { email: ann.email, password })).toMatchObject({
    status: 200,
    body: { data: { needsSecondFactor: true } },
  })
  expect(await needsFactor(ann)).toBe(true)
  expect((await ann.get<SecondFactors>("/users/me/second-factors")).body.data).toMatchObject({ isRequired: true })
  for (const [name, call, sample] of table.filter(([, { access }]) => access === "user")) {
    if (open.has(call)) continue
    const { body, query = "" } = sample(unknownIds)
    const url = `/api${call.path.replaceAll(/\{\w+\}/g, "1")}${query}`
    const answer = await ann.send({
      method: call.method,
      url,
      ...(body !== undefined && { payload: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    })
    expect([name, answer]).toMatchObject([name, required])
  }
  expect(new Set(table.flatMap(([, call]) => (call.beforeFactor ? [call] : [])))).toEqual(open)

  const totp = await setUpTotp(ann)
  expect([(await ann.get("/collection")).status, await needsFactor(ann)]).toEqual([200, false])
  const { body } = await ann.post<CreatedToken>("/users/me/tokens", { name: "ci", scope: "read" })
  await ann.delete("/users/me/totp")
  expect(await ann.get("/collection")).toMatchObject(required)
  // A token was made in a session that had the factor.
  expect((await person(app.app, ann.email, body.data.token).get("/collection")).status).toBe(200)
  expect((await ann.post("/users/logout")).status).toBe(200)
  expect(totp.recoveryCodes).toHaveLength(10)
})

testOnce("where administrators need a second factor, other users do not", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "admins" } })
  const [ann, admin] = [await app.user(), await app.admin()]
  expect([(await ann.get("/collection")).status, await needsFactor(ann)]).toEqual([200, false])
  expect(await admin.get("/hrkljush")).toMatchObject(required)
  expect(await admin.get("/collection")).toMatchObject(required)
  const totp = await setUpTotp(admin)
  expect((await admin.get("/hrkljush")).status).toBe(200)
  const browser = person(app.app)
  await browser.post("/users/login", { email: admin.email, password })
  const { body } = await browser.post<User>("/users/login/code", { code: nextCodeOf(totp.secret) })
  expect(body.data).not.toHaveProperty("needsSecondFactor")
})

test("a session of a provider that asked for a second factor counts as having one", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = await app.user()
  await app.db.updateTable("session").set({ has_provider_factor: 1 }).execute()
  expect((await ann.get("/collection")).status).toBe(200)
})
