import { randomUUID } from "node:crypto"
import { password, testApp } from "@envkeep/testing/app.ts"
import { person } from "@envkeep/testing/person.ts"
import * as argon2 from "@node-rs/argon2"
import { expect, test, vi } from "vitest"

// A guest learns nothing from the time of an answer, because the work for it is the same.

// The real library, with its calls recorded.
vi.mock("@node-rs/argon2", async (original) => {
  const real = await original<typeof argon2>()
  return { ...real, verify: vi.fn(real.verify), hash: vi.fn(real.hash) }
})

/** Events are written and chained apart from the answer, which does not wait for that: a job may do so at any moment. */
const isForAnswer = (sql: string) => !/audit_|^(begin|commit)|advisory/.test(sql)

test("a login with an unknown e-mail does exactly the work of a known one: the same statements, one equal hash check", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query.sql) })
  const { email } = await app.user()
  const workFor = async (email: string) => {
    executed.length = 0
    vi.mocked(argon2.verify).mockClear()
    vi.mocked(argon2.hash).mockClear()
    const answer = await person(app.app).post("/users/login", { email, password: "wrong password" })
    const checked = vi.mocked(argon2.verify).mock.calls.map(([hash]) => String(hash))
    return {
      answer: [answer.status, answer.text],
      statements: executed.filter(isForAnswer),
      checks: checked.map((hash) => hash.split("$").map((part, at) => (at < 4 ? part : part.length))),
      hashes: vi.mocked(argon2.hash).mock.calls.length,
    }
  }
  const [known, unknown] = [await workFor(email), await workFor(`${randomUUID()}@example.com`)]
  expect(unknown).toEqual(known)
  // As a sign-in provider makes one.
  const { email: withoutPassword } = await app.user()
  await app.db.updateTable("user").set({ password_hash: "" }).where("email", "=", withoutPassword).execute()
  expect(await workFor(withoutPassword)).toEqual(known)
  expect(known.checks).toEqual([["", "argon2id", "v=19", "m=19456,t=2,p=1", 22, 43]])
  expect(known.statements).not.toEqual([])
})

test("registering a taken e-mail computes the slow hash, as for a free one", async () => {
  const app = await testApp()
  const { email } = await app.user()
  vi.mocked(argon2.hash).mockClear()
  const form = { username: "x", password, password2: password }
  expect((await app.guest.post("/users/register", { ...form, email })).status).toBe(409)
  expect((await app.guest.post("/users/register", { ...form, email: "free@example.com" })).status).toBe(201)
  expect(vi.mocked(argon2.hash)).toHaveBeenCalledTimes(2)
})

test("malformed, unknown and deleted keys all cost the same statements", async () => {
  const executed: string[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query.sql) })
  const ann = await app.user()
  const { key, id } = await ann.apiKey(await ann.environment())
  await ann.delete(`/api-key/${id}`)
  const work = async (sent: string) => {
    executed.length = 0
    const { status, text } = await app.guest.variables(sent)
    return { status, text, statements: executed.filter(isForAnswer) }
  }
  const deleted = await work(key)
  expect(deleted.statements).not.toEqual([])
  for (const sent of ["x", key.toLowerCase(), `${key.slice(0, -1)}~`]) expect(await work(sent)).toEqual(deleted)
})
