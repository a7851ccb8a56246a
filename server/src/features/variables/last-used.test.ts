import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"
import { recordEvent } from "../../audit/record.ts"
import { keyCaller } from "../../http/bearer.ts"
import { createLastUsed } from "./last-used.ts"

test("a use from a new network that could not be written down becomes an event at the next flush, once", async () => {
  let isDiskFull = false
  const app = await testApp({
    record: (tx, event) => (isDiskFull ? Promise.reject(new Error("the disk is full")) : recordEvent(tx, event)),
  })
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  const lastUsed = createLastUsed(app.core)
  const read = () => lastUsed.note(keyCaller({ authorization: `Bearer ${key}` }, "192.0.2.1"))
  const events = () =>
    app.db.selectFrom("audit_event").select("address").where("action", "=", "api-key.new-address").execute()

  read()
  isDiskFull = true
  await expect(lastUsed.flush()).rejects.toThrow("the disk is full")
  read()
  isDiskFull = false
  await lastUsed.flush()
  expect(await events()).toEqual([{ address: "192.0.2.0/24" }])
  expect(await app.db.selectFrom("key_read").select("reads").execute()).toEqual([{ reads: 2 }])

  read()
  await lastUsed.flush()
  expect(await events()).toHaveLength(1)
})
