import { sql } from "kysely"
import { expect, test } from "vitest"
import { password, testApp } from "./app.ts"

test("whatever is done, the log holds no value, key, password or cookie", async () => {
  const app = await testApp()
  const secret = "s3cr3t-value-that-must-not-show"
  const ann = await app.user()
  const environment = await ann.environment("production")
  const item = await ann.item(environment, "TOKEN", secret)
  const { key } = await ann.apiKey(environment)
  const cookie = ann.cookie.split("=")[1] ?? ""
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: `${secret}2` })
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "TOKEN", value: `${secret}3` }])
  await ann.put("/users/password", { oldPassword: secret, password: `${secret}4`, password2: `${secret}4` })
  await app.guest.post("/users/login", { email: ann.email, password: secret })
  await app.guest.variables(key)
  await app.guest.get(`/v1/variables?key=${key}&value=${secret}`)
  await app.guest.get(`/${secret}/${key}`)
  await ann.send({
    method: "POST",
    url: `/api/collection`,
    payload: `{"${secret}`,
    headers: { "content-type": "application/json" },
  })
  await ann.send({ method: "GET", url: `/api/collection/%ff${secret}` })

  const log = app.log.join("")
  expect(app.log.length).toBeGreaterThan(10)
  for (const hidden of [secret, key, password, cookie]) expect(log).not.toContain(hidden)
})

test("a bug is answered without details, and logged with them but without the statement's values", async () => {
  const app = await testApp()
  const ann = await app.user()
  await sql`alter table item rename to item_gone`.execute(app.db)
  const environment = await ann.environment()
  const answer = await ann.post("/collectionItem", {
    name: "TOKEN",
    value: "s3cr3t-value",
    subCollectionId: environment.id,
  })
  expect(answer).toMatchObject({
    status: 500,
    body: { error: true, msg: "Something went wrong on our side", data: null },
  })
  const logged = app.log.map((line) => JSON.parse(line)).find((line) => line.msg === "unexpected error")
  expect(logged.err.stack).toMatch(/executeQuery/)
  expect(app.log.join("")).not.toContain("s3cr3t-value")
})
