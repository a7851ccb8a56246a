import {
  type ActivityPage,
  type claimedTeams,
  type identities as identitiesCalls,
  limits,
  type OutputOf,
  type User,
} from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { providerBrowser, startRealProvider } from "@envkeep/testing/oidc/real-provider.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { afterAll, expect, test } from "vitest"

// Teams that a claim of a real provider of OpenID Connect fills.

const known = (email: string, more: object = {}) => ({ email, email_verified: true, name: "Ann Example", ...more })

const provider = await startRealProvider({})
afterAll(() => provider.close())

/** A server whose provider has a claim, one of its administrators, and a way to tie teams. */
async function withClaim() {
  const app = await testApp({
    env: settingsFor(provider.issuer, { TEAM_CLAIM: "groups", SCOPES: "openid email profile groups" }),
  })
  const admin = await app.admin()
  const tie = (id: number, value: string) => admin.put(`/admin/claimed-teams/${id}`, { value })
  const makeTiedTeam = async (by: Person, name: string) => {
    const id = await makeTeam(by, name)
    await tie(id, name)
    return id
  }
  return { app, admin, tie, makeTiedTeam }
}

async function makeTeam(by: Person, name: string): Promise<number> {
  return (await by.post<{ id: number }>("/teams", { name })).body.data.id
}

async function signIn(browser: Person, account: string): Promise<string> {
  return go(browser, await providerBrowser().visit(await beginSignIn(browser), account))
}

async function teamsOf(browser: Person): Promise<number[]> {
  return (await browser.get<{ id: number }[]>("/teams")).body.data.map(({ id }) => id)
}

async function idOf(browser: Person): Promise<number> {
  return (await browser.get<User>("/users/me")).body.data.id
}

async function identityOf(browser: Person): Promise<number> {
  const { identities } = (await browser.get<OutputOf<typeof identitiesCalls.list>>("/users/me/identities")).body.data
  return identities[0]?.id ?? 0
}

test("no team is filled because of its name: an administrator of the server ties it to a value", async () => {
  const { app, admin, tie } = await withClaim()
  const [mallory, boss] = [await app.user(), await app.user()]
  const squatted = await makeTeam(mallory, "ops")
  provider.people["ida"] = known("ida@example.com", { groups: "ops" })
  const ida = person(app.app)
  await signIn(ida, "ida")
  expect(await teamsOf(ida)).toEqual([])

  const ops = await makeTeam(boss, "Operations")
  for (const user of [mallory, boss]) {
    const refused = await user.put(`/admin/claimed-teams/${ops}`, { value: "ops" })
    expect([refused.status, refused.body.msg]).toEqual([403, "Only administrators may do this"])
  }
  expect((await tie(ops, " ops ")).body.msg).toBe("The claim fills the team from now on")
  const taken = await tie(squatted, "ops")
  expect([taken.status, taken.body.msg]).toEqual([409, "This value fills another team already. Untie that team first"])
  expect((await tie(ops, "ops")).status).toBe(200)
  await signIn(ida, "ida")
  expect(await teamsOf(ida)).toEqual([ops])
  // Another name changes nothing.
  await boss.put(`/teams/${ops}`, { name: "Renamed" })
  await mallory.put(`/teams/${squatted}`, { name: "Operations" })
  await signIn(ida, "ida")
  expect(await teamsOf(ida)).toEqual([ops])

  const list = async () => (await admin.get<OutputOf<typeof claimedTeams.list>>("/admin/claimed-teams")).body.data
  const admins = [{ userId: await idOf(boss), username: "someone", email: boss.email }]
  expect(await list()).toEqual({
    hasClaim: true,
    teams: [{ id: ops, name: "Renamed", value: "ops", memberCount: 2, admins }],
  })
  expect((await admin.delete(`/admin/claimed-teams/${ops}`)).body.msg).toBe("The claim no longer fills the team")
  expect((await list()).teams).toEqual([])
  await signIn(ida, "ida")
  expect(await teamsOf(ida)).toEqual([])
  for (const call of [tie(999_999, "web"), admin.delete("/admin/claimed-teams/999999")]) {
    expect((await call).body.msg).toBe("Team not found")
  }
  const { events } = (await admin.get<ActivityPage>("/users/me/activity")).body.data
  expect(events.slice(0, 2)).toMatchObject([
    { action: "team.untie", team: { id: ops, name: "Renamed" } },
    { action: "team.tie", team: { id: ops, name: "Operations" } },
  ])
})

testOnce("a server without such a claim says so", async () => {
  const app = await testApp({ env: settingsFor(provider.issuer) })
  const admin = await app.admin()
  expect((await admin.get("/admin/claimed-teams")).body.data).toEqual({ hasClaim: false, teams: [] })
})

test("what a claim gave ends with the connection, and what people gave instead stays", async () => {
  const { app, makeTiedTeam } = await withClaim()
  const boss = await app.user()
  const [ops, web] = [await makeTiedTeam(boss, "ops"), await makeTiedTeam(boss, "web")]
  const [email, eve] = ["eve-of-both@example.com", await app.user("eve-of-both@example.com")]
  const userId = await idOf(eve)
  provider.people["both"] = known(email, { groups: ["ops", "web"] })
  const connect = async () => go(eve, await providerBrowser().visit(await beginConnecting(eve), "both"))
  await connect()
  await signIn(eve, "both")
  expect(await teamsOf(eve)).toEqual([ops, web])

  // Given again by a person, it is no longer the claim's.
  await boss.delete(`/teams/${web}/members/${userId}`)
  await boss.post(`/teams/${web}/members`, { who: email, isAdmin: false })
  provider.people["both"] = known(email, { groups: "ops" })
  await signIn(eve, "both")
  expect(await teamsOf(eve)).toEqual([ops, web])

  expect((await eve.delete(`/users/me/identities/${await identityOf(eve)}`)).status).toBe(200)
  expect(await teamsOf(eve)).toEqual([web])
})

testOnce(
  "teams follow the claim: it gives and takes memberships, but none that people gave, and no admin",
  async () => {
    const { app, makeTiedTeam } = await withClaim()
    const boss = await app.user()
    const [ops, web] = [await makeTiedTeam(boss, "ops"), await makeTiedTeam(boss, "web")]
    await makeTeam(boss, "ops")
    provider.people["eve"] = known("eve@example.com", { groups: ["ops", " web ", "unknown", 5] })
    const eve = person(app.app)
    await signIn(eve, "eve")
    const userId = await idOf(eve)
    const rolesOf = async () =>
      (await eve.get<{ id: number; isAdmin: boolean }[]>("/teams")).body.data.map(({ id, isAdmin }) => [id, isAdmin])
    expect(await rolesOf()).toEqual([
      [ops, false],
      [web, false],
    ])
    const qa = await makeTiedTeam(boss, "qa")
    await boss.post(`/teams/${qa}/members`, { who: "eve@example.com", isAdmin: false })
    await boss.put(`/teams/${web}/members/${userId}`, { isAdmin: true })

    provider.people["eve"] = known("eve@example.com", { groups: "qa" })
    await signIn(eve, "eve")
    expect(await rolesOf()).toEqual([
      [qa, false],
      [web, true],
    ])
    provider.people["eve"] = known("eve@example.com")
    await signIn(eve, "eve")
    expect(await rolesOf()).toEqual([
      [qa, false],
      [web, true],
    ])
  },
)

test("of many groups, those that fill teams count, wherever they are in the claim, up to a limit", async () => {
  const { app, tie } = await withClaim()
  const boss = await app.user()
  const team = await makeTeam(boss, "ops")
  await tie(team, "ops")
  const gus = person(app.app)
  const directory = (count: number) => Array.from({ length: count }, (_, at) => `group ${at}`)
  for (const [others, teams] of [
    [249, [team]],
    [limits.valuesPerClaim - 1, [team]],
    [limits.valuesPerClaim, []],
  ] as const) {
    provider.people["gus"] = known("gus@example.com", { groups: [...directory(others), "ops"] })
    await signIn(gus, "gus")
    expect([others, await teamsOf(gus)]).toEqual([others, teams])
  }

  // One more than a claim can give.
  const names = directory(limits.teamsPerClaim + 1)
  await app.db
    .insertInto("team")
    .values(names.map((name) => ({ name, claim_value: name, created_at: Date.now() })))
    .execute()
  provider.people["gus"] = known("gus@example.com", { groups: [...names.toReversed(), "ops"] })
  await signIn(gus, "gus")
  expect(await teamsOf(gus)).toHaveLength(limits.teamsPerClaim)
  expect(await teamsOf(gus)).toContain(team)
})
