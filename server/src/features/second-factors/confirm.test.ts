import { type ActivityPage, type Call, type CreatedToken, calls, pathFields, sentences } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Answer, type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { type Ids, type Sample, table } from "../../../test/access/samples.ts"
import { createThings } from "../../../test/access/things.ts"

const minuteMs = 60_000
const confirmWith = (confirm: { password: boolean; passkey: boolean }) => ({
  status: 403,
  body: { error: true, msg: "Please confirm that it is you", data: { confirm } },
})
const confirmFirst = confirmWith({ password: true, passkey: false })
/** The owner of the things has a passkey. */
const ownerConfirmsFirst = confirmWith({ password: true, passkey: true })

const asking = table.filter(([, call]) => call.confirm)

function make(person: Person, call: Call, { id, revision, ids, query = "", body }: Sample): Promise<Answer> {
  const fields: Record<string, unknown> = { [pathFields(call.path)[0] ?? "id"]: id, revision, ...ids }
  const path = call.path.replaceAll(/\{(\w+)\}/g, (_, field) => String(fields[field])) + query
  if (call.method === "DELETE") return person.delete(path)
  return call.method === "PUT" ? person.put(path, body) : person.post(path, body)
}

const confirmedAt = ({ db }: TestApp, time: number) => db.updateTable("session").set({ confirmed_at: time }).execute()

testOnce("the calls that ask for a confirmation are those that are sensitive", () => {
  expect(asking.map(([name]) => name).sort()).toEqual([
    "DELETE /collection/{id}",
    "DELETE /users/me/identities/{id}",
    "DELETE /users/me/passkeys/{id}",
    "DELETE /users/me/totp",
    "POST /admin/users/{id}/factor-link",
    "POST /admin/users/{id}/grant-admin",
    "POST /admin/users/{id}/reset-link",
    "POST /cli/logins/approve",
    "POST /collections/{id}/trash/empty",
    "POST /environments/{id}/erase",
    "POST /trash/collections/{id}/purge",
    "POST /trash/empty",
    "POST /trash/environments/{id}/purge",
    "POST /users/me/delete-confirmed",
    "POST /users/me/identities",
    "POST /users/me/passkeys",
    "POST /users/me/passkeys/begin",
    "POST /users/me/recovery-codes",
    "POST /users/me/tokens",
    "POST /users/me/totp",
    "POST /users/me/totp/confirm",
  ])
})

testOnce(
  "each of them is refused 10 minutes after the login, changes nothing, and is made after a confirmation",
  async () => {
    const app = await testApp()
    const owner = await app.admin()
    const ids: Ids = await createThings(app, owner)
    const events = () => app.db.selectFrom("audit_event").select("id").execute()
    const before = (await events()).length
    // The last one is a session from before this was recorded.
    for (const time of [Date.now() - 10 * minuteMs, Date.now() + 20 * minuteMs, 0]) {
      await confirmedAt(app, time)
      for (const [name, call, sample] of asking) {
        expect([name, await make(owner, call, sample(ids))]).toMatchObject([name, ownerConfirmsFirst])
      }
    }
    expect((await events()).length).toBe(before)
    expect(await owner.get("/collection")).toMatchObject({ status: 200 })

    expect(await owner.post("/users/me/confirm", { password: "a wrong password" })).toMatchObject({
      status: 400,
      body: { msg: sentences.passwordWrong },
    })
    expect(await make(owner, calls.secondFactors.beginTotp, {})).toMatchObject(ownerConfirmsFirst)
    expect(await owner.post("/users/me/confirm", { password })).toMatchObject({
      status: 200,
      body: { msg: "Confirmed", data: null },
    })
    for (const [name, call, sample] of asking) {
      const { status } = await make(owner, call, sample(ids))
      expect([name, status]).not.toEqual([name, expect.toBeOneOf([401, 403])])
    }
    await confirmedAt(app, Date.now() - 9 * minuteMs)
    expect((await make(owner, calls.secondFactors.beginTotp, {})).status).toBe(200)
  },
)

testOnce("a wrong password that confirms nothing is an event that the account's owner sees", async () => {
  const app = await testApp()
  const ann = await app.user()
  const wrong = "a wrong password"
  expect((await ann.post("/users/me/confirm", { password: wrong })).status).toBe(400)
  const refused = async () => {
    const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
    return events.filter(({ action }) => action === "session.refuse-confirm").map(({ counts }) => counts["refused"])
  }
  await expect.poll(refused, eventually).toEqual([1])
  await ann.put("/users/password", { oldPassword: wrong, password, password2: password })
  await ann.post("/users/me/delete", { password: wrong })
  await app.close()
  const again = await testApp({ location: app.location })
  const rows = await again.db
    .selectFrom("audit_event")
    .select("details")
    .where("action", "=", "session.refuse-confirm")
    .orderBy("id")
    .execute()
  expect(rows.map(({ details }) => JSON.parse(details).refused)).toEqual([1, 2])
})

testOnce(
  "another user's id is not told apart by the confirmation, and a role that is too weak is not asked",
  async () => {
    const app = await testApp()
    const [owner, other] = [await app.user(), await app.user()]
    const { id } = await owner.collection()
    await confirmedAt(app, 0)
    const [owned, unknown] = [await other.delete(`/collection/${id}`), await other.delete("/collection/987654")]
    expect(owned.text).toBe(unknown.text)
  },
)

test("a personal token is not asked, and a confirmation holds for its own session only", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { token } = (await ann.post<CreatedToken>("/users/me/tokens", { name: "ci", scope: "manage" })).body.data
  const second = person(app.app, ann.email)
  await second.post("/users/login", { email: ann.email, password })
  const [one, two] = [await ann.collection("one"), await ann.collection("two")]
  await confirmedAt(app, 0)
  expect(await person(app.app, ann.email, token).delete(`/collection/${one.id}`)).toMatchObject({ status: 200 })
  await ann.post("/users/me/confirm", { password })
  expect(await second.delete(`/collection/${two.id}`)).toMatchObject(confirmFirst)
  expect(await ann.delete(`/collection/${two.id}`)).toMatchObject({ status: 200 })
  expect((await person(app.app, ann.email, token).post("/users/me/confirm", { password })).status).toBe(403)
})

testOnce("another e-mail needs a confirmation, and another name does not", async () => {
  const app = await testApp()
  const ann = await app.user()
  await confirmedAt(app, 0)
  const change = (username: string, email: string) => ann.put("/users", { username, email })
  expect(await change("ann", ann.email.toUpperCase())).toMatchObject({
    status: 200,
    body: { data: { username: "ann" } },
  })
  expect(await change("eve", "eve@example.com")).toMatchObject(confirmFirst)
  expect(await ann.get("/users/me")).toMatchObject({ body: { data: { username: "ann" } } })
  await ann.post("/users/me/confirm", { password })
  expect(await change("eve", "eve@example.com")).toMatchObject({ status: 200 })
})

testOnce("guesses at the password by a confirmation are limited", async () => {
  const app = await testApp()
  const ann = await app.user()
  for (let n = 0; n < 10; n++)
    expect((await ann.post("/users/me/confirm", { password: `wrong ${n}` })).status).toBe(400)
  expect((await ann.post("/users/me/confirm", { password })).status).toBe(429)
})
