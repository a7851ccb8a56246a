import { createPublicKey, createSecretKey, generateKeyPairSync } from "node:crypto"
import type { ServerResponse } from "node:http"
import { limits, type SignInProblem, type User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { clientId, clientSecret, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// A provider that forges its answers, fails or hangs, and browsers that come back with what is not theirs.

type Forger = Awaited<ReturnType<typeof startForger>>

async function isGuest(browser: Person): Promise<boolean> {
  return (await browser.get<User | null>("/users/me")).body.data === null
}

const now = Math.floor(Date.now() / 1_000)
const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey

type Forgery = Partial<Pick<Forger, "claims" | "header" | "userInfo" | "key" | "answer">>

const forgeries: Record<string, [forgery: Forgery, problem: SignInProblem]> = {
  "a token of another issuer": [{ claims: { iss: "https://accounts.example.com" } }, "refused"],
  "a token for another client": [{ claims: { aud: "another-client" } }, "refused"],
  "a token for several clients": [{ claims: { aud: [clientId, "another"] } }, "refused"],
  "a token for several clients that another has asked for": [
    { claims: { aud: [clientId, "another"], azp: "another" } },
    "refused",
  ],
  "a token with another nonce": [{ claims: { nonce: "of another sign-in" } }, "refused"],
  "a token without a nonce": [{ claims: { nonce: undefined } }, "refused"],
  "an expired token": [{ claims: { iat: now - 600, exp: now - 60 } }, "refused"],
  "a token that is not valid yet": [{ claims: { nbf: now + 600 } }, "refused"],
  "a token without a subject": [{ claims: { sub: "" } }, "refused"],
  "a subject with a NUL": [{ claims: { sub: "a\0b" } }, "refused"],
  "a token signed by another key": [{ key: otherKey }, "refused"],
  "a token that says it needs no signature": [{ header: { alg: "none" } }, "refused"],
  "an e-mail that is not verified": [{ claims: { email_verified: false } }, "unverified"],
  "an e-mail that is verified in words": [{ claims: { email_verified: "true" } }, "unverified"],
  "an e-mail without a word about it": [{ claims: { email_verified: undefined } }, "unverified"],
  "a word about another e-mail": [
    { claims: { email_verified: undefined }, userInfo: { email: "bob@example.com", email_verified: true } },
    "unverified",
  ],
  "no e-mail at all": [{ claims: { email: undefined } }, "unverified"],
  "what is no e-mail": [{ claims: { email: "ann example.com" } }, "unverified"],
  "an e-mail that hides its domain": [{ claims: { email: '"ann@example.com"@example.org' } }, "unverified"],
  "an e-mail of another domain": [{ claims: { email: "ann@example.org" } }, "domain"],
  "an e-mail below the domain": [{ claims: { email: "ann@sub.example.com" } }, "domain"],
  ...asDomains({
    "a domain that goes on like a path": "example.com/.evil.example",
    "a domain that goes on like a query": "example.com?.evil.example",
    "a domain that goes on like a fragment": "example.com#.evil.example",
    "a domain with a backslash": String.raw`example.com\.evil.example`,
    "a domain with an escape": "%65xample.com",
    "a domain with a port": "example.com:80",
    "a domain in full-width letters": "ｅxample.com",
    "a domain with another full stop": "example。com",
    "a domain with a full stop at its end": "example.com.",
  }),
  "the userinfo of another person": [{ claims: { email: undefined }, userInfo: { sub: "another" } }, "refused"],
  "a page in place of a token": [atToken((response) => response.end("<h1>Hello</h1>")), "away"],
  "broken JSON in place of a token": [atToken((response) => json(response, 200, "{")), "refused"],
  "a refused code": [atToken((response) => json(response, 400, '{"error":"invalid_grant"}')), "refused"],
  "an error of the provider's server": [atToken((response) => response.writeHead(500).end()), "away"],
  "an answer without an end": [atToken((response) => json(response, 200, " ".repeat(3_000_000))), "refused"],
  "a redirect in place of an answer": [
    atToken((response) => response.writeHead(302, { location: "/elsewhere" }).end()),
    "away",
  ],
  "a connection that breaks": [atToken((response) => response.destroy()), "away"],
}

function asDomains(domains: Record<string, string>): typeof forgeries {
  const forged = Object.entries(domains).map(
    ([name, domain]) => [name, { claims: { email: `ann@${domain}` } }] as const,
  )
  return Object.fromEntries(forged.map(([name, forgery]) => [name, [forgery, "domain"]]))
}

function atToken(answer: (response: ServerResponse) => void): Forgery {
  return {
    answer(path, response) {
      if (path === "/token") answer(response)
      return path === "/token"
    },
  }
}
function json(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" }).end(body)
}

test("no forged or broken answer of a provider signs anyone in, and the page says which kind it was", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer, { DOMAINS: "example.com, example.net" }) })
  const outcomes: Record<string, string> = {}
  for (const [name, [forgery]] of Object.entries(forgeries)) {
    Object.assign(forger, honest(forger), forgery)
    const browser = person(app.app)
    const page = await go(browser, forger.comeBack(await beginSignIn(browser)))
    expect([name, await isGuest(browser)]).toEqual([name, true])
    outcomes[name] = page.replace("/login?problem=", "")
  }
  expect(outcomes).toEqual(Object.fromEntries(Object.entries(forgeries).map(([name, [, problem]]) => [name, problem])))
  expect(await app.db.selectFrom("user").select("id").execute()).toEqual([])
  // An honest answer does, from there too, and so does one for several clients that we have asked for.
  for (const claims of [{}, { aud: [clientId, "another"], azp: clientId }]) {
    const ann = person(app.app)
    Object.assign(forger, honest(forger), { claims })
    expect(await go(ann, forger.comeBack(await beginSignIn(ann)))).toBe("/collection/dashboard")
    expect(await isGuest(ann)).toBe(false)
  }

  forger.metadata = { issuer: "https://example.com" }
  const other = await testApp({ env: settingsFor(forger.issuer) })
  expect(await beginSignIn(person(other.app))).toBe("/login?problem=refused")
})

function honest({ honestKey }: Forger): Required<Forgery> {
  return { claims: {}, header: {}, userInfo: {}, key: honestKey, answer: () => false }
}

test("a token that the client's secret signs is refused, although the provider says that it signs so", async () => {
  const forger = await startForger()
  forger.metadata = { id_token_signing_alg_values_supported: ["RS256", "HS256"] }
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = person(app.app)
  Object.assign(forger, { header: { alg: "HS256" }, key: createSecretKey(clientSecret, "utf8") })
  expect(await go(ann, forger.comeBack(await beginSignIn(ann)))).toBe("/login?problem=refused")
  expect(await isGuest(ann)).toBe(true)
  Object.assign(forger, honest(forger))
  expect(await go(ann, forger.comeBack(await beginSignIn(ann)))).toBe("/collection/dashboard")
})

test("a browser comes back once, with its own state, from its own visit, and in time", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const [ann, mallory] = [person(app.app), person(app.app)]
  const address = await beginSignIn(ann)
  const back = forger.comeBack(address)
  const expired = "/login?problem=expired"
  // Without a visit, with another one, and with a state that a link of another site could have.
  expect(await go(mallory, back)).toBe(expired)
  await beginSignIn(mallory)
  expect(await go(mallory, back)).toBe(expired)
  expect(await go(ann, forger.comeBack(address, { state: "another" }))).toBe(expired)
  expect(forger.requests).not.toContain("/token")
  const cookie = ann.cookie
  expect(await go(ann, back)).toBe("/collection/dashboard")
  expect(await isGuest(ann)).toBe(false)

  // Once more, in the same browser as it was before.
  const again = person(app.app)
  again.cookie = cookie
  expect(await go(again, back)).toBe(expired)
  expect(forger.requests.filter((path) => path === "/token")).toHaveLength(1)

  const late = person(app.app)
  const lateAddress = await beginSignIn(late)
  await app.db.updateTable("provider_visit").set({ expires_at: Date.now() }).execute()
  expect(await go(late, forger.comeBack(lateAddress))).toBe(expired)
  // Both say the same: which visits there are is not told.
  expect(await go(person(app.app), "/api/sign-in/unknown")).toBe(expired)
  expect(await go(person(app.app), "/api/sign-in/acme/continue")).toBe(expired)
  expect(await go(person(app.app), "/api/sign-in/acme/callback")).toBe(expired)
})

test("what a provider says in an address is not repeated, and an answer of another provider is refused", async () => {
  const forger = await startForger()
  forger.metadata = { authorization_response_iss_parameter_supported: true }
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const comesBackWith = async (other: Record<string, string>) => {
    const browser = person(app.app)
    return go(browser, forger.comeBack(await beginSignIn(browser), other))
  }
  const told = { error_description: "told by the provider", iss: forger.issuer }
  expect(await comesBackWith({ error: "access_denied", ...told })).toBe("/login?problem=cancelled")
  expect(await comesBackWith({ error: "server_error", ...told })).toBe("/login?problem=refused")
  expect(await comesBackWith({ iss: "https://example.com" })).toBe("/login?problem=refused")
  expect(await comesBackWith({})).toBe("/login?problem=refused")
  expect(await comesBackWith({ iss: forger.issuer })).toBe("/collection/dashboard")
  expect(app.log.join("")).not.toContain("told by the provider")
})

test("after the sign-in, no one is sent to another site or to a call", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const pageAfter = async (to: string) => {
    const browser = person(app.app)
    return go(browser, forger.comeBack(await beginSignIn(browser, `?${new URLSearchParams({ to })}`)))
  }
  const elsewhere = [
    "https://example.com/",
    "//example.com",
    "/\\example.com",
    "/..//example.com",
    "javascript:alert(1)",
  ]
  for (const to of [
    ...elsewhere,
    "/x/../\\example.com",
    "/api/users/me",
    "/a\nb",
    `/${"a".repeat(600)}`,
    "collection/1",
  ]) {
    expect([to, await pageAfter(to)]).toEqual([to, "/collection/dashboard"])
  }
  expect(await pageAfter("/collection/1?env=2#3")).toBe("/collection/1?env=2#3")
})

test("what was not begun in this session, or by this user, connects nothing", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  const address = await beginConnecting(ann)
  const visit = ann.cookie
  await ann.post("/users/logout")
  expect(await go(ann, forger.comeBack(address))).toBe("/login?problem=expired")

  const bob = await app.user()
  const bobsAddress = await beginConnecting(bob)
  // A thief of the visit's cookie, with a session of their own.
  const mallory = await app.user()
  mallory.cookie = `${mallory.cookie}; ${/envkeep_provider_visit=[^;]+/.exec(bob.cookie)?.[0]}`
  expect(visit).not.toBe(bob.cookie)
  expect(await go(mallory, forger.comeBack(bobsAddress))).toBe("/user/dashboard?problem=session-ended")
  expect(await app.db.selectFrom("identity").select("id").execute()).toEqual([])
})

test("a disabled account stays out, and where the provider makes no accounts, no one gets one", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const signIn = async (browser: Person) => go(browser, forger.comeBack(await beginSignIn(browser)))
  await signIn(person(app.app))
  await app.db.updateTable("user").set({ disabled_at: Date.now() }).execute()
  const ann = person(app.app)
  expect(await signIn(ann)).toBe("/login?problem=disabled")
  expect(await isGuest(ann)).toBe(true)

  for (const env of [{ REGISTER: "no" }, {}]) {
    const registration = { ENVKEEP_REGISTRATION: env.REGISTER === undefined ? "invited" : "open" }
    const closed = await testApp({ env: { ...settingsFor(forger.issuer, env), ...registration } })
    expect(await signIn(person(closed.app))).toBe("/login?problem=no-account")
  }
  const open = await testApp({
    env: { ...settingsFor(forger.issuer, { REGISTER: "yes" }), ENVKEEP_REGISTRATION: "closed" },
  })
  expect(await signIn(person(open.app))).toBe("/collection/dashboard")
})

test("a provider that is away is told so, is asked again the next time, and delays no other login", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const { email } = await app.user()
  forger.answer = (_, response) => Boolean(response.writeHead(503).end())
  expect(await beginSignIn(person(app.app))).toBe("/login?problem=away")
  expect(app.log.join("")).toContain("the sign-in provider acme failed")

  const hanging: ServerResponse[] = []
  forger.answer = (_, response) => Boolean(hanging.push(response))
  const waiting = Array.from({ length: 30 }, () => beginSignIn(person(app.app)))
  const bob = person(app.app)
  expect((await bob.post("/users/login", { email, password })).status).toBe(200)
  while (hanging.length === 0) await new Promise((resolve) => setImmediate(resolve))
  // All of them wait for one question.
  expect(hanging).toHaveLength(1)
  forger.answer = undefined
  for (const response of hanging) response.destroy()
  expect(new Set(await Promise.all(waiting))).toContain("/login?problem=away")
  expect(await beginSignIn(person(app.app))).toContain(`${forger.issuer}/auth?`)

  forger.close()
  const away = await testApp({ env: settingsFor(forger.issuer) })
  expect(await beginSignIn(person(away.app))).toBe("/login?problem=away")
})

test("a signed-in user is told on the profile page what went wrong at a provider", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  forger.answer = (_, response) => Boolean(response.writeHead(503).end())
  expect(await beginConnecting(ann)).toBe("/user/dashboard?problem=away")
  forger.answer = undefined
  const back = forger.comeBack(await beginConnecting(ann))
  await app.db.updateTable("provider_visit").set({ expires_at: 0 }).execute()
  expect(await go(ann, back)).toBe("/user/dashboard?problem=expired")
})

test("guests on their way to a provider keep no user from going there, nor users any guest", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  const { id: sessionId } = await app.db.selectFrom("session").select("id").executeTakeFirstOrThrow()
  const waiting = Array.from({ length: limits.waitingProviderVisits }, (_, at) => ({
    token_hash: String(at),
    provider: "acme",
    purpose: "sign-in" as const,
    session_id: sessionId,
    return_to: "/",
    created_at: Date.now(),
    expires_at: Date.now() + 60_000,
  }))
  for (let at = 0; at < waiting.length; at += 1_000) {
    await app.db
      .insertInto("provider_visit")
      .values(waiting.slice(at, at + 1_000))
      .execute()
  }
  const byGuest = () => beginSignIn(person(app.app))
  expect(await byGuest()).toContain(`${forger.issuer}/auth?`)
  await app.db.updateTable("provider_visit").set({ session_id: null }).execute()
  // More often than one address may.
  for (let time = 0; time < 300; time++) expect(await byGuest()).toBe("/login?problem=busy")
  for (let time = 0; time < 2; time++) expect(await beginConnecting(ann)).toContain(`${forger.issuer}/auth?`)
  // A session has one at most.
  const ofUsers = app.db.selectFrom("provider_visit").select("purpose").where("session_id", "is not", null)
  expect(await ofUsers.execute()).toEqual([{ purpose: "connect" }])
})

test("a provider that has new keys or addresses under the same name fails one login, not those of the next hour", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const signIn = async () => {
    const browser = person(app.app)
    return go(browser, forger.comeBack(await beginSignIn(browser)))
  }
  expect(await signIn()).toBe("/collection/dashboard")

  const newKey = { ...createPublicKey(otherKey).export({ format: "jwk" }), kid: "one", alg: "RS256" }
  forger.key = otherKey
  forger.answer = (path, response) => {
    if (path === "/jwks") json(response, 200, JSON.stringify({ keys: [newKey] }))
    return path === "/jwks"
  }
  expect(await signIn()).toBe("/login?problem=refused")
  expect(await signIn()).toBe("/collection/dashboard")

  Object.assign(forger, honest(forger))
  forger.metadata = { jwks_uri: `${forger.issuer}/jwks?moved` }
  forger.answer = (path, response) => {
    if (path === "/jwks?moved") json(response, 200, JSON.stringify({ keys: [newKey] }))
    return path === "/jwks?moved"
  }
  expect(await signIn()).toBe("/login?problem=refused")
  forger.key = otherKey
  expect(await signIn()).toBe("/collection/dashboard")

  // A code that it does not take says nothing about its keys, and anyone can bring one.
  const asked = () => forger.requests.filter((path) => path.endsWith("openid-configuration")).length
  const before = asked()
  forger.answer = (path, response) => {
    if (path === "/token") json(response, 400, '{"error":"invalid_grant"}')
    return path === "/token"
  }
  for (let time = 0; time < 2; time++) expect(await signIn()).toBe("/login?problem=refused")
  expect(asked()).toBe(before)
})

test("a provider that never answers is given up", async () => {
  const forger = await startForger()
  forger.answer = () => true
  const app = await testApp({ env: settingsFor(forger.issuer), providerTimeoutSeconds: 0.1 })
  expect(await beginSignIn(person(app.app))).toBe("/login?problem=away")
})

test("neither the code nor the tokens of a provider are logged or stored", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const browser = person(app.app)
  const back = forger.comeBack(await beginSignIn(browser))
  await go(browser, back)
  const { searchParams } = new URL(back, "http://localhost")
  const log = app.log.join("")
  for (const secret of [searchParams.get("code"), searchParams.get("state"), "id_token", "eyJ"]) {
    expect(log).not.toContain(secret)
  }
  const rows = JSON.stringify(await app.db.selectFrom("identity").selectAll().execute())
  expect(rows).not.toContain("eyJ")
  expect(await app.db.selectFrom("provider_visit").selectAll().execute()).toEqual([])
})
