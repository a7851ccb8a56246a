import { type Call, calls, limits } from "@envkeep/contract"
import { allCalls } from "@envkeep/testing/all-calls.ts"
import { testApp } from "@envkeep/testing/app.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// How every call answers invalid input, word for word. The sentences about single fields are tested with their features.
// Input that must be refused in any words, such as odd ids, is tested in `fuzz/`, on both engines. What is refused here does
// not get as far as the database.

const writes = allCalls.filter((call) => call.method === "POST" || call.method === "PUT")
const named = (list: Call[]) => list.map((call) => [`${call.method} ${call.path}`, call] as const)

const badBodies: [string, string | Buffer, number, string | RegExp][] = [
  ["broken JSON", '{"name": "x"', 400, "The body is not valid JSON"],
  ["JSON with a comment", '{} // "secret"', 400, "The body is not valid JSON"],
  [
    "text that is not UTF-8",
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    400,
    "The body is not valid UTF-8",
  ],
  ["a string", '"text"', 400, /./],
  ["a number", "5", 400, /./],
  ["null", "null", 400, /./],
  ["a list in a list", "[[]]", 400, /./],
  ["unknown fields", '{"unknown":1}', 400, /./],
  ["a field named __proto__", '{"__proto__":{"isAdmin":true}}', 400, /./],
  ["all the wrong types", typed([]), 400, /./],
  ["all the wrong types again", typed({ a: 1 }), 400, /./],
  ["numbers everywhere", typed(1.5), 400, /./],
  ["NUL everywhere", typed("a\0b"), 400, /./],
  ["half a surrogate pair everywhere", typed("a\ud800").replaceAll("a\ud800", "a\\ud800"), 400, /./],
  ["very long text everywhere", typed("x".repeat(1_400)), 400, /./],
  ["a very deep list", "[".repeat(5_000), 400, "Lists and objects in the body can be at most 8 levels deep"],
  ["very many fields", JSON.stringify({ name: Array(101).fill(0) }), 400, "The body has too many elements or fields"],
]

function typed(value: unknown): string {
  const fields = ["name", "value", "description", "email", "username", "password", "password2", "oldPassword"]
  return JSON.stringify(Object.fromEntries([...fields, "type", "category"].map((field) => [field, value])))
}

const noInput = new Set<Call>([
  calls.users.logout,
  calls.members.leave,
  calls.members.takeOver,
  calls.teams.leave,
  calls.sessions.endOthers,
  calls.passkeys.beginAdding,
  calls.passkeys.beginSignIn,
  calls.passkeys.beginSecondStep,
  calls.passkeys.beginConfirming,
  calls.trash.restoreCollection,
  calls.trash.restoreEnvironment,
  calls.webhooks.test,
  calls.webhooks.redeliver,
  calls.accounts.disable,
  calls.accounts.enable,
  calls.accounts.endSessions,
  calls.accounts.createResetLink,
  calls.accounts.createFactorLink,
  calls.secondFactors.beginTotp,
  calls.secondFactors.createRecoveryCodes,
  calls.accounts.grantAdmin,
  calls.accounts.revokeAdmin,
])

/** Without a body, which null stands for, they do what they do by default. */
const optionalInput = new Set<Call>([
  calls.invitations.inviteToTeam,
  calls.invitations.inviteToServer,
  calls.webhooks.update,
])

test("every call refuses invalid bodies", async () => {
  const admin = await newAdmin()
  for (const [name, call] of named(writes.filter((call) => !noInput.has(call)))) {
    for (const [what, payload, status, msg] of badBodies) {
      if (payload === "null" && optionalInput.has(call)) continue
      const answer = await admin.send({ ...target(call), headers: { "content-type": "application/json" }, payload })
      const about = [name, what]
      expect([...about, answer.status, answer.text.slice(0, 200)]).toEqual([...about, status, expect.anything()])
      const envelope = { error: true, msg: expect.stringMatching(msg), data: null }
      expect([...about, answer.body]).toEqual([...about, envelope])
      expect([...about, answer.body.msg]).toEqual([...about, expect.stringMatching(/^[A-Z]/)])
      expect([...about, answer.text]).toEqual([...about, expect.not.stringMatching(/secret|node_modules|\.ts\b|\n/)])
    }
  }
})

test("every call accepts only JSON", async () => {
  const admin = await newAdmin()
  const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "nonsense", ""]
  for (const [name, call] of named(writes)) {
    for (const type of types) {
      const answer = await admin.send({ ...target(call), headers: { "content-type": type }, payload: "a=b" })
      const envelope = { error: true, msg: "The body must be sent as application/json", data: null }
      expect([name, type, answer.status, answer.body]).toEqual([name, type, 415, envelope])
    }
    const charset = { "content-type": "application/json; charset=utf-8" }
    const { status } = await admin.send({ ...target(call), headers: charset, payload: "{" })
    expect([name, status]).toEqual([name, 400])
  }
})

test("every call refuses a body of 20 MB", async () => {
  const admin = await newAdmin()
  const payload = JSON.stringify([{ name: "A", value: "x".repeat(20_000_000) }])
  for (const [name, call] of named(writes)) {
    const answer = await admin.send({ ...target(call), headers: { "content-type": "application/json" }, payload })
    const limit =
      { [limits.itemBodyBytes]: "512 KiB", [limits.bulkBodyBytes]: "8 MiB" }[call.bodyBytes ?? 0] ?? "16 KiB"
    const envelope = { error: true, msg: `The body can be at most ${limit}`, data: null }
    expect([name, answer.status, answer.body]).toEqual([name, 413, envelope])
  }
})

async function newAdmin(): Promise<Person> {
  return (await testApp({ requestsPerMinute: 100_000 })).admin()
}

function target({ method, path }: Call) {
  return { method, url: `/api${path.replaceAll(/\{\w+\}/g, "1")}` }
}

test.each(["/api", "/api/", "/api/nothing", "/api/users", "/api/v1", "/api/../api/x", "/api/users/me/"])(
  "%s does not exist, and the answer says so in the envelope",
  async (url) => {
    const { guest } = await testApp()
    for (const method of ["GET", "DELETE", "PATCH", "OPTIONS"] as const) {
      const answer = await guest.send({ method, url })
      expect([method, answer.status, answer.body]).toEqual([
        method,
        404,
        { error: true, msg: "There is nothing at this address", data: null },
      ])
    }
  },
)

test("an id in the body is an unknown field if it belongs in the path", async () => {
  const ann = await (await testApp()).user()
  const [mine, other] = [await ann.collection("mine"), await ann.collection("other")]
  const answer = await ann.put(`/collection/${mine.id}`, { id: other.id, name: "x" })
  expect(answer).toMatchObject({ status: 400, body: { msg: "Unknown field: id" } })
})

test("an id in the body must be a whole positive number", async () => {
  const ann = await (await testApp()).user()
  for (const collectionId of ["1", 1.5, -1, 0, null, 2 ** 53, [1], true]) {
    const answer = await ann.post("/subcollection", { name: "x", collectionId })
    expect(answer).toMatchObject({
      status: 400,
      body: { msg: "An id must be a whole number from 1 to 9007199254740991" },
    })
  }
  expect((await ann.post("/subcollection", { name: "x", collectionId: 2 ** 53 - 1 })).status).toBe(404)
})
