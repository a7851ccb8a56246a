import { randomUUID } from "node:crypto"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { findLeaks, ignoreUrls, recordOutput, registerSecret } from "@envkeep/testing/leaks.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect } from "vitest"

// Every test checks that no secret is in a log, a URL or an error (leaks-setup.ts). The tests here check that this search
// finds leaks, and send secrets in places where other tests have none.

test("secrets sent in the wrong place appear neither in the log nor in the answers", async () => {
  const app = await testApp()
  const secret = randomUUID()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.item(environment, "TOKEN", secret)
  const { key } = await ann.apiKey(environment)
  await app.guest.get(`/v1/variables?key=${key}&value=${secret}`)
  await app.guest.get(`/${secret}/${key}`)
  await app.guest.get(`/${encodeURIComponent(ann.cookie)}`)
  await app.guest.post("/users/login", { email: secret, password: secret })
  await app.guest.post("/users/login", { email: ann.email, password: secret }, { "user-agent": key, referer: secret })
  await app.guest.get("/collection", { cookie: `envkeep_session=${key}`, authorization: `Bearer ${secret}` })
  const json = { "content-type": "application/json" }
  await ann.send({ method: "POST", url: "/api/collection", payload: `{"${secret}`, headers: json })
  await ann.send({ method: "POST", url: "/api/collection", payload: secret, headers: { "content-type": secret } })
  await ann.send({ method: "GET", url: `/api/collection/%ff${secret}` })
  await ann.send({ method: "GET", url: "/api/collection", headers: { host: `${secret}:x`, origin: secret } })
  await app.guest.get("/%0a%0d%7b%22msg%22:%22forged%22%7d", { "user-agent": '"}{"msg":"forged"' })
  ignoreUrls()
  expect(app.log.map((line) => JSON.parse(line).route)).toContain("/api/v1/variables")
  for (const line of app.log) expect(JSON.parse(line).msg).not.toBe("forged")
  expect(findLeaks()).toEqual([])
})

test("a server error is answered without details, and logged with its stack but without the statement's values", async () => {
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
  expect(logged.err.stack).toMatch(/^\s+at /m)
  expect(app.log.join("")).not.toContain("s3cr3t-value")
})

test("the leak search knows every secret that is used, and finds it in a log, an answer or a URL", async () => {
  const app = await testApp()
  const [value, form] = [randomUUID(), { username: "x", email: "x@example.com" }]
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "A", value }])
  const { key } = await ann.apiKey(environment)
  await app.guest.post("/users/register", { ...form, password: "of a guest only", password2: "of a guest only" })
  expect(findLeaks()).toEqual([])

  const [device = "", session = ""] = ann.cookie.split("; ").map((cookie) => cookie.split("=")[1] ?? "")
  const rootKeys = [app.rootKey.toString("hex"), app.rootKey.toString("base64")]
  const used = [value, key, device, session, "of a guest only", ...rootKeys]
  for (const secret of used) {
    app.app.log.trace({ body: { it: secret } }, "leaked on purpose")
    expect(findLeaks()).toEqual([expect.stringMatching(/is in the log, after .*it/)])
  }
  app.app.log.info(`leaked on purpose ${encodeURIComponent(`${value}`)}`)
  await app.guest.get(`/${key}`)
  expect(findLeaks()).toHaveLength(2)
})

test("the leak search finds a secret in an error answer and in the log of a server process", async () => {
  const app = await testApp()
  const secret = `${randomUUID()}\n"quoted"`
  await app.guest.post("/users/login", { email: "nobody@example.com", password: secret })
  recordOutput("the answer 400", JSON.stringify({ msg: `${secret} is wrong` }))
  expect(findLeaks()).toEqual([`a password is in the answer 400, after "{"msg":""`])

  registerSecret("a line of every log", "Server listening at")
  const server = run(await newStoreLocation(), { env: { ENVKEEP_ROOT_KEY: "ab".repeat(32), LOG_LEVEL: "trace" } })
  const url = await server.url()
  expect(findLeaks()).toEqual([expect.stringContaining("a line of every log is in the log of a server")])
  registerSecret("a sentence of every answer", "There is nothing at this address")
  await fetch(`${url}/api/nothing`)
  expect(findLeaks()).toEqual([expect.stringContaining("a sentence of every answer is in the answer 404")])
})
