import { type Call, calls } from "@envkeep/contract"
import { allCalls } from "@envkeep/testing/all-calls.ts"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"

// A page of another site can make a signed-in user's browser send requests. It must not change or read anything by that.

const writes = allCalls.filter(({ method }) => method !== "GET")
const urlOf = (call: Call) => `/api${call.path.replaceAll(/\{\w+\}/g, "1")}`

const crossSiteHeaders: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
  { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  { "sec-fetch-site": "same-site" },
  { "sec-fetch-site": "cross-site", origin: "http://localhost:80" },
  { origin: "https://evil.example" },
  { origin: "http://localhost.evil.example" },
  { origin: "http://localhost:81" },
  { origin: "null" },
]

test("every call that changes something refuses requests from another site before it reads the body", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const environment = await admin.environment()
  await admin.item(environment)
  await admin.apiKey(environment)
  const before = await everyRow(app)
  expect(writes).not.toEqual([])
  for (const call of writes) {
    for (const headers of crossSiteHeaders) {
      const { method } = call
      const sent = { ...headers, "content-type": "text/plain" }
      const answer = await admin.send({ method, url: urlOf(call), headers: sent, payload: '{"name":"x"}' })
      expect([call.path, answer.status, answer.body]).toEqual([
        call.path,
        403,
        { error: true, msg: "This request came from another site and was refused", data: null },
      ])
      expect(answer.headers["set-cookie"]).toBeUndefined()
    }
  }
  expect(await everyRow(app)).toEqual(before)
})

test("no call changes anything with a method that browsers send across sites without a preflight", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const environment = await admin.environment()
  const { id } = await admin.item(environment)
  await admin.apiKey(environment)
  const before = await everyRow(app)
  for (const call of allCalls) {
    for (const method of ["GET", "HEAD", "OPTIONS"] as const) {
      if (streams.has(call) && method === "GET") continue
      await admin.send({ method, url: `/api${call.path.replaceAll(/\{\w+\}/g, String(id))}` })
    }
  }
  expect(await everyRow(app)).toEqual(before)
})

test("no other origin may read an answer, with or without a preflight", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const preflight = { "access-control-request-method": "PUT", "access-control-request-headers": "content-type" }
  for (const call of allCalls.filter((one) => !streams.has(one))) {
    for (const origin of ["https://evil.example", "null"]) {
      const url = urlOf(call)
      const preflighted = await admin.send({ method: "OPTIONS", url, headers: { origin, ...preflight } })
      const sent = await admin.send({ method: call.method, url, headers: { origin } })
      for (const { headers } of [preflighted, sent]) {
        expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([])
      }
    }
  }
})

/** They never end. */
const streams = new Set<Call>([calls.variables.watch, calls.collections.live])

/** All rows, except the times sessions were last used and the counters of attempts. */
async function everyRow({ db }: TestApp): Promise<unknown> {
  const tables = ["user", "collection", "environment", "item", "api_key", "product"] as const
  const rows = tables.map((table) => db.selectFrom(table).selectAll().orderBy("id").execute())
  return [...(await Promise.all(rows)), await db.selectFrom("session").select(["id", "token_hash"]).execute()]
}
