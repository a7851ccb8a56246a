import {
  type ApiKey,
  accountSorts,
  type Call,
  type CreatedToken,
  calls,
  type Environment,
  type NewInvitation,
  type OutputOf,
  sizedKinds,
  type Team,
  type User,
} from "@envkeep/contract"
import { allCalls, routeOf, routesIn } from "@envkeep/testing/all-calls.ts"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { logInWithCode, nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { usePasskeyInEveryWay } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"
import { theServer } from "../src/access/caller.ts"
import { purge } from "../src/bounds/expiring-rows.ts"
import { countToday } from "../src/features/admin/rules.ts"
import { createReset } from "../src/features/users/resets/rules.ts"
import { pruneDeliveries } from "../src/features/webhooks/delivery/prune.ts"
import { purgeOf } from "../src/jobs/purges.ts"

// Asks the engine for the plan of every statement that the calls make. None may scan a whole table.

/**
 * The counters count everything, and the product list shows all products, so they need no index. The index of unchained
 * events holds those of the last second, and is read whole.
 */
const wholeTable = [
  /^select count\(\*\)/,
  /^select coalesce\(sum\("item_count"\), 0\) as "count" from "environment"$/,
  /from "product" order by "id"$/,
  /from "audit_event" where "position" is null order by "id" limit /,
]

/** A page of accounts is read in the order of an index, which ends with the page. SQLite calls that a scan too. */
const inOrderOfIndex = /^SCAN user USING INDEX \w+$/
/** Values that a statement was given, not rows. */
const givenList = /^ *SCAN json_each VIRTUAL TABLE INDEX 1:$/gm
/** Rows of a subquery, which ends with its page too. How it finds them is said before. */
const bounded = [inOrderOfIndex, givenList, /^ *SCAN (directly|inTeams)$/gm]

test("every statement finds its rows by an index", async () => {
  const executed = new Map<string, CompiledQuery>()
  const forger = await startForger()
  const env = settingsFor(forger.issuer, { TEAM_CLAIM: "groups" })
  const app = await testApp({ env, logQuery: ({ query }) => executed.set(query.sql, query) })
  executed.clear()
  await makeAllCalls(app, forger)
  expect(routesIn(app.log)).toEqual(expect.arrayContaining(loggedCalls.map(routeOf)))

  const statements = [...executed.values()].filter(
    ({ sql }) =>
      /^(select|update|delete)/.test(sql) && !sql.includes("pg_notify") && !wholeTable.some((one) => one.test(sql)),
  )
  expect(statements).not.toEqual([])
  const scans: string[] = []
  for (const statement of statements) {
    const plan = await planOf(app, statement)
    const isScan = /\bSCAN\b|Seq Scan/.test(bounded.reduce((rest, one) => rest.replace(one, ""), plan))
    if (isScan || readsWholeHistory(statement.sql, plan)) scans.push(`${statement.sql}\n${plan}`)
  }
  expect(scans).toEqual([])
})

// An event stream is logged only when it ends.
const streams = new Set<Call>([calls.variables.watch, calls.collections.live])
const loggedCalls = allCalls.filter((call) => !streams.has(call))

async function inherit(app: TestApp, ann: Person, { collectionId }: Environment): Promise<void> {
  const [base, middle, heir] = [
    await ann.environment("base", collectionId),
    await ann.environment("middle", collectionId),
    await ann.environment("heir", collectionId),
  ]
  await ann.item(middle, "COPIED", "1")
  await ann.put(`/environments/${middle.id}/base`, { baseId: base.id })
  await ann.put(`/environments/${heir.id}/base`, { baseId: middle.id })
  // Refused: revision 2 came later.
  await ann.put(`/environments/${heir.id}/base`, { baseId: null, revision: 1 })
  await ann.put(`/environments/${base.id}/protection`, { isProtected: true, withHeirs: true })
  // Refused: its base is protected.
  await ann.put(`/environments/${heir.id}/protection`, { isProtected: false })
  await ann.item(base, "INHERITED", "1")
  await ann.get(`/subcollection/${heir.id}`)
  const { key } = await ann.apiKey(heir)
  await app.guest.variables(key)
  await app.guest.variables(key, "?revision=3")
  await ann.get(`/environments/${heir.id}/history/3/changes`)
  await ann.post(`/subcollection/${heir.id}/bulk?revision=2`, [{ name: "OWN", value: "1" }])
  for (const what of ["values", "names", "inherit"]) {
    await ann.post("/subcollection", { name: what, collectionId, from: { environmentId: middle.id, what } })
  }
  await ann.post(`/environments/${heir.id}/copy?from=${middle.id}&revision=2`, ["COPIED"])
  await ann.post(`/environments/${base.id}/copy?from=${heir.id}`, ["COPIED"])
  await ann.post(`/environments/${heir.id}/copy?from=${base.id}`, ["COPIED"])
  await ann.put(`/collections/${collectionId}/names`, { name: "COPIED", description: "described" })
  await ann.post(`/collections/${collectionId}/duplicate`, { name: "copy", what: "values" })
  await ann.delete(`/subcollection/${middle.id}?copyDown=true`)
  await ann.post(`/trash/environments/${middle.id}/restore`)
}

type Forger = Awaited<ReturnType<typeof startForger>>

async function makeAllCalls(app: TestApp, forger: Forger): Promise<void> {
  const [ann, admin] = [await app.newcomer(), await app.admin()]
  const environment = await ann.environment()
  const item = await ann.item(environment, "A", "1")
  const apiKey = await ann.apiKey(environment)
  await ann.get("/users/me")
  await ann.get("/users/me/storage")
  await ann.get("/users/me/sessions")
  await ann.delete("/users/me/sessions/987654")
  await ann.post("/users/me/sessions/end-others")
  await useTokens(app, ann, environment)
  await useIdentities(app, { ann, admin }, forger)
  await useCliLogins(app, ann)
  await useSecondFactors(app, admin)
  await usePasskeyInEveryWay(app, ann)
  await ann.put("/users", { username: "ann", email: "ann@example.com" })
  await ann.put("/users/password", { oldPassword: password, password, password2: password })
  await ann.get("/collection")
  await ann.get(`/collection/${environment.collectionId}`)
  await ann.put(`/collection/${environment.collectionId}`, { name: "x", description: "y" })
  await ann.get(`/subcollection/${environment.id}`)
  await ann.get(`/subcollection/all/${environment.collectionId}`)
  await ann.put(`/subcollection/${environment.id}`, { name: "renamed" })
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  await inherit(app, ann, environment)
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const stream = async (path: string, headers: Record<string, string>) =>
    readEvents(await fetch(`${url}/api${path}`, { headers }))
  const watched = await stream("/v1/variables/watch", { authorization: `Bearer ${apiKey.key}` })
  const live = await stream(`/collections/${environment.collectionId}/live`, { cookie: ann.cookie })
  for (const events of [watched, live]) await events.next()
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "2" })
  for (const events of [watched, live]) await events.next()
  for (const events of [watched, live]) await events.return(undefined)
  // Refused: revisions 3 and 4 came later.
  await ann.put(`/collectionItem/${item.id}`, { name: "B", value: "3", revision: 1 })
  await ann.put(`/subcollection/${environment.id}`, { name: "again", revision: 1 })
  await ann.post(`/subcollection/${environment.id}/bulk?revision=1`, [{ name: "C", value: "3" }])
  await ann.put(`/environments/${environment.id}/items`, [
    { id: item.id, name: "D", value: "4" },
    { name: "E", value: "5" },
  ])
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "C", value: "3" }])
  const history = `/environments/${environment.id}`
  await ann.get(`${history}/history?before=5`)
  await ann.get(`${history}/history/5`)
  await ann.get(`${history}/history/5/changes`)
  await ann.get(`${history}/item-history?name=B`)
  await ann.get(`${history}/name-history?name=B`)
  await ann.post(`${history}/restore-item`, { name: "B", revision: 4 })
  await ann.post(`${history}/restore`, { revision: 5 })
  await ann.post(`${history}/erase`, { name: "B", revision: 4 })
  await ann.get("/api-key")
  await ann.get(`/api-key/${apiKey.id}/last-use`)
  await app.guest.variables(apiKey.key, "", { "envkeep-instance": "host;a" })
  await ann.get(`/environments/${environment.id}/instances`)
  await ann.get(`/collections/${environment.collectionId}/instances`)
  await ann.get(`/api-key/${apiKey.id}/usage`)
  await ann.put(`/api-key/${apiKey.id}`, { note: "changed", expiresAt: "2099-01-01T00:00:00Z" })
  for (const isDisabled of [true, false]) {
    await ann.put(`/api-key/${apiKey.id}/disabled`, { isDisabled })
    await app.guest.variables(apiKey.key)
    await ann.get(`/api-key/${apiKey.id}/leak`)
  }
  const { body } = await ann.post<ApiKey>(`/api-key/${apiKey.id}/roll`, { overlapMinutes: 60 })
  await ann.delete(`/api-key/${body.data.id}`)
  await app.guest.variables(apiKey.key)
  await app.guest.variables(apiKey.key, "?revision=3")
  await app.guest.get("/v1/key", { authorization: `Bearer ${apiKey.key}` })
  const activity = `/collections/${environment.collectionId}/activity`
  const filters = "kind=items&personId=1&since=2020-01-01&until=2099-01-01&before=9999999999999"
  await ann.get(`${activity}?${filters}&environmentId=${environment.id}`)
  await ann.get(`${activity}/export`)
  await ann.get(`${activity}/reads`)
  for (const [reader, path] of [
    [ann, "/users/me/activity"],
    [admin, "/admin/activity"],
  ] as const) {
    await reader.get(path)
    await reader.get(`${path}?${filters}`)
    await reader.get(`${path}/export`)
  }
  const names = `/collections/${environment.collectionId}/names`
  await ann.put(names, { name: "A", description: "about it" })
  await ann.post(names, [{ name: "A", isRequired: true }, { name: "B" }])
  await ann.get(names)
  await ann.get(`/collections/${environment.collectionId}/env-example?environmentId=${environment.id}`)
  await ann.get(`/collections/${environment.collectionId}/environment-names`)
  await ann.delete(`${names}?name=A`)
  await ann.post("/find", { text: "a" })
  await useWebhooks(app, ann, environment)
  await useSharing(app, ann, environment)
  await ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`)
  await ann.delete(`/api-key/${apiKey.id}`)
  await useTrash(ann, environment)
  await admin.get("/hrkljush")
  await admin.post("/hrkljush/product/create", { name: "p", type: "SERVICE", category: "SOFTWARE" })
  await admin.get("/hrkljush/product/list")
  await useAdminArea(app, admin)
  const { token } = await createReset(app.core, theServer, (await ann.get<User>("/users/me")).body.data.id)
  await app.guest.post("/users/password/reset-link", { token })
  await app.guest.post("/users/password/reset", { token, password, password2: password })
  await ann.post("/users/login", { email: "ann@example.com", password })
  await ann.post("/users/logout")
  const leaving = await app.user()
  const { id } = await leaving.collection()
  await leaving.get("/users/me/deletion")
  await leaving.delete(`/collection/${id}`)
  await leaving.post("/users/me/delete", { password })
}

/** With one that is limited to a collection, because that is a part of the queries. */
async function useTokens({ app }: TestApp, ann: Person, { id, collectionId }: Environment): Promise<void> {
  const settings = { name: "limited", scope: "manage", days: 30, collectionIds: [collectionId] }
  const { body } = await ann.post<CreatedToken>("/users/me/tokens", settings)
  const token = person(app, ann.email, body.data.token)
  await token.get("/collection")
  await token.get(`/collection/${collectionId}`)
  await token.item({ id }, "TOKEN", "a value")
  await token.get("/trash")
  await ann.get("/users/me/tokens")
  await token.get("/users/me/token")
  await token.delete("/users/me/token")
  await ann.delete(`/users/me/tokens/${body.data.id}`)
}

/** With teams that a claim gives and takes. */
async function useIdentities(
  { app, guest }: TestApp,
  { ann, admin }: { ann: Person; admin: Person },
  forger: Forger,
): Promise<void> {
  await guest.get("/users/sign-in-providers")
  const eve = person(app)
  const { id } = (await ann.post<Team>("/teams", { name: "planned" })).body.data
  await admin.put(`/admin/claimed-teams/${id}`, { value: "planned" })
  for (const groups of [["planned"], []]) {
    forger.claims = { groups }
    await go(eve, forger.comeBack(await beginSignIn(eve)))
  }
  await admin.get("/admin/claimed-teams")
  await admin.delete(`/admin/claimed-teams/${id}`)
  const to = "/user/dashboard"
  const { body: begun } = await eve.post<{ address: string }>("/users/me/confirm/provider", { provider: "acme", to })
  forger.claims = { auth_time: Math.floor(Date.now() / 1_000) }
  await go(eve, forger.comeBack(await go(eve, begun.data.address)))
  await eve.post("/users/me/delete-confirmed")
  forger.subject = "another"
  await go(ann, forger.comeBack(await beginConnecting(ann)))
  const { body } = await ann.get<OutputOf<typeof calls.identities.list>>("/users/me/identities")
  for (const { id } of body.data.identities) await ann.delete(`/users/me/identities/${id}`)
}

async function useCliLogins({ guest }: TestApp, ann: Person): Promise<void> {
  for (const decision of ["deny", "approve"]) {
    const { body } = await guest.post<OutputOf<typeof calls.cliLogins.begin>>("/cli/logins", { machine: "laptop" })
    const { userCode, deviceCode } = body.data
    await ann.post("/cli/logins/look", { userCode })
    await ann.post(`/cli/logins/${decision}`, { userCode, ...(decision === "approve" && { scope: "read" }) })
    await guest.post("/cli/logins/poll", { deviceCode })
  }
}

async function useSecondFactors(app: TestApp, admin: Person): Promise<void> {
  const eve = await app.user()
  const { email } = eve
  const { secret, recoveryCodes } = await setUpTotp(eve)
  await eve.get("/users/me/second-factors")
  await eve.post("/users/me/confirm", { password })
  await logInWithCode(eve, { email, password, code: nextCodeOf(secret) })
  await eve.post("/users/login", { email, password })
  await eve.post("/users/login/recovery-code", { code: recoveryCodes[0] })
  await eve.post("/users/me/recovery-codes")
  const { id } = (await eve.get<User>("/users/me")).body.data
  const { body } = await admin.post<{ token: string }>(`/admin/users/${id}/factor-link`)
  for (const token of ["unknown", body.data.token]) {
    await eve.post("/users/login", { email, password })
    await eve.post("/users/login/factor-link", { token })
  }
  await setUpTotp(eve)
  await eve.delete("/users/me/totp")
  await purge(app.core, purgeOf("pending_sign_in"))
}

async function useAdminArea(app: TestApp, admin: Person): Promise<void> {
  await countToday(app.core)
  await admin.get("/admin/daily-counts?days=365")
  for (const kind of sizedKinds) await admin.get(`/admin/sizes?kind=${kind}`)
  for (const sort of accountSorts) await admin.get(`/admin/users?sort=${sort}&order=desc&page=2`)
  await admin.get("/admin/users?search=ann&show=admins")
  const eve = await app.user("eve@example.com")
  const { id } = (await eve.get<User>("/users/me")).body.data
  for (const change of ["grant-admin", "revoke-admin", "end-sessions", "reset-link", "disable", "enable"]) {
    await admin.post(`/admin/users/${id}/${change}`)
  }
}

async function useSharing({ guest, core, ...app }: TestApp, ann: Person, { collectionId }: Environment): Promise<void> {
  const [bob, admin] = [await app.user(), await app.admin()]
  const { id: userId } = (await bob.get<User>("/users/me")).body.data
  const shared = `/collections/${collectionId}`
  await guest.get("/users/registration")
  await ann.post(`${shared}/members`, { who: "no such user", role: "viewer" })
  await ann.post(`${shared}/members`, { who: bob.email, role: "viewer" })
  await ann.get(`${shared}/members`)
  await ann.put(`${shared}/members/${userId}`, { role: "owner" })
  await ann.put(`${shared}/members/${userId}`, { role: "editor" })
  await ann.post(`${shared}/transfer`, { userId })
  await bob.get("/users/me/transfer-requests")
  await bob.post(`${shared}/take-over`)
  await bob.post(`${shared}/transfer`, { userId: (await ann.get<User>("/users/me")).body.data.id })
  await bob.delete(`${shared}/transfer`)
  await bob.post(`${shared}/transfer`, { userId: (await ann.get<User>("/users/me")).body.data.id })
  await ann.post(`${shared}/take-over`)
  const { id } = (await ann.post<Team>("/teams", { name: "team" })).body.data
  const team = `/teams/${id}`
  await ann.get("/teams")
  await ann.get(team)
  await ann.put(team, { name: "renamed" })
  await ann.post(`${team}/members`, { who: bob.email })
  await ann.put(`${team}/members/${userId}`, { isAdmin: true })
  await bob.post(`${team}/leave`)
  await ann.delete(`${team}/members/${userId}`)
  await ann.post(`${shared}/teams`, { teamId: id, role: "viewer" })
  await ann.put(`${shared}/teams/${id}`, { role: "editor" })
  await ann.delete(`${shared}/teams/${id}`)
  for (const [person, path, body] of [
    [ann, shared, { role: "maintainer" }],
    [ann, team, {}],
    [admin, "/admin", {}],
  ] as const) {
    const made = (await person.post<NewInvitation>(`${path}/invitations`, body)).body.data
    await guest.post("/invitations/look", { secret: made.secret })
    await bob.post("/invitations/accept", { secret: made.secret })
    await person.get(`${path}/invitations`)
    await person.delete(`${path}/invitations/${made.id}`)
  }
  await purge(core, purgeOf("invitation"))
  await bob.post(`${shared}/leave`)
  await ann.delete(`${shared}/members/${userId}`)
  await ann.delete(team)
}

/** With one that is limited to an environment, because its bases are looked for. The receivers are out of reach. */
async function useWebhooks({ deliverer, core }: TestApp, ann: Person, environment: Environment): Promise<void> {
  const path = `/collections/${environment.collectionId}/webhooks`
  const settings = { url: "https://hooks.invalid/", environmentIds: [environment.id] }
  const { id } = (await ann.post<{ id: number }>(path, settings)).body.data
  await ann.post(`${path}/${id}/test`)
  await ann.item(environment, "HOOKED", "1")
  await deliverer.deliverDue()
  const { body } = await ann.get<{ deliveries: { id: number }[] }>(`${path}/${id}/deliveries`)
  await ann.post(`${path}/${id}/deliveries/${body.data.deliveries[0]?.id}/redeliver`)
  await ann.post(`${path}/${id}/rotate-secret`, { overlapHours: 24 })
  await ann.get(path)
  await pruneDeliveries(core)
  await ann.put(`${path}/${id}`, { url: "https://hooks.invalid/other", isEnabled: false })
  await ann.delete(`${path}/${id}`)
}

async function useTrash(ann: Person, { id, collectionId }: Environment): Promise<void> {
  const environment = { id, name: "renamed" }
  const collection = { id: collectionId, name: "x" }
  await ann.delete(`/subcollection/${id}`)
  await ann.get(`/collections/${collectionId}/trash`)
  await ann.post(`/trash/environments/${id}/restore`)
  await ann.delete(`/subcollection/${id}`)
  await ann.purge("environments", environment)
  await ann.post(`/collections/${collectionId}/trash/empty`, { name: collection.name })
  await ann.delete(`/collection/${collectionId}`)
  await ann.get("/trash")
  await ann.post(`/trash/collections/${collectionId}/restore`)
  await ann.delete(`/collection/${collectionId}`)
  await ann.purge("collections", collection)
  await ann.post("/trash/empty", { name: "ann" })
}

/**
 * SQLite reads all versions of an environment to match them with an index that is made for the statement, or to have them
 * in an order that only an index without the other conditions gives.
 */
function readsWholeHistory(statement: string, plan: string): boolean {
  if (!statement.includes('"item_version"')) return false
  const isByEnvironmentOnly = /SEARCH item_version USING .*\(environment_id=\?\)$/m.test(plan)
  return plan.includes("AUTOMATIC") || (statement.includes("order by") && isByEnvironmentOnly)
}
