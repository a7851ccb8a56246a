import {
  type Call,
  calls,
  type Environment,
  type NewInvitation,
  type OutputOf,
  type RecoveryCodes,
  type Session,
  type Team,
  type Token,
  type User,
} from "@envkeep/contract"
import { allCalls, routeOf, routesIn } from "@envkeep/testing/all-calls.ts"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginConnecting, go } from "@envkeep/testing/oidc/sign-in.ts"
import { usePasskeyInEveryWay } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../access/caller.ts"
import { createReset } from "../features/users/resets/rules.ts"
import type { ChangeEvent } from "./core.ts"

/** The real app, and every event that its changes record. */
async function recordingApp(record: (event: ChangeEvent) => void = () => undefined, env = {}) {
  const events: ChangeEvent[] = []
  const app = await testApp({
    env,
    async record(_, event) {
      record(event)
      events.push(event)
      return 0
    },
  })
  return { app, events }
}

test("every call that changes something records one event: who, what, and on what, but never a value", async () => {
  const forger = await startForger()
  const { app, events } = await recordingApp(undefined, settingsFor(forger.issuer))
  const [bob, ann] = [await app.newcomer(), await app.admin()]
  const { id: userId } = (await ann.get<User>("/users/me")).body.data
  const other = (await (await app.user()).get<User>("/users/me")).body.data.id
  const { body: collection } = await ann.post<{ id: number }>("/collection", { name: "app", description: "" })
  const environment = await ann.environment("production", collection.data.id)
  const base = await ann.environment("base", collection.data.id)
  const item = await ann.item(environment, "NAME", "a value")
  const key = await ann.apiKey(environment)
  await ann.item(base, "FROM", "b value")
  await ann.post(`/collections/${collection.data.id}/duplicate`, { name: "copy", what: "names" })
  const seen = events.length
  const about = { collectionId: collection.data.id, environmentId: environment.id }
  const changes: [call: () => Promise<unknown>, action: string, subject: object][] = [
    [
      () => ann.put(`/collection/${collection.data.id}`, { name: "other" }),
      "collection.update",
      { collectionId: collection.data.id },
    ],
    [() => ann.put(`/subcollection/${environment.id}`, { name: "other" }), "environment.rename", about],
    [() => ann.put(`/environments/${environment.id}/protection`, { isProtected: true }), "environment.protect", about],
    [
      () => ann.put(`/collectionItem/${item.id}`, { name: "NEW", value: "b value" }),
      "item.edit",
      { ...about, names: ["NEW"] },
    ],
    [
      () => ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "B", value: "c value" }]),
      "items.save",
      { ...about, names: ["B", "NEW"] },
    ],
    [
      () => ann.put(`/environments/${environment.id}/items`, [{ name: "C", value: "a value" }]),
      "items.save",
      { ...about, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore`, { revision: 5 }),
      "environment.restore",
      { ...about, names: ["C"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/restore-item`, { name: "NAME", revision: 3 }),
      "item.restore",
      { ...about, names: ["NAME"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/erase`, { name: "NAME", revision: 2 }),
      "version.erase",
      { ...about, names: ["NAME"] },
    ],
    [
      async () => ann.delete(`/collectionItem/${(await ann.itemsOf(environment))[0]?.id}`),
      "item.delete",
      { ...about, names: ["B"] },
    ],
    [
      () => ann.post(`/environments/${environment.id}/copy?from=${base.id}`, ["FROM"]),
      "item.copy",
      { ...about, names: ["FROM"], source: { id: base.id, name: "base" } },
    ],
    [() => ann.put(`/environments/${environment.id}/base`, { baseId: base.id }), "environment.rebase", about],
    [() => ann.put(`/api-key/${key.id}`, { note: "changed" }), "api-key.update", { ...about, apiKeyId: key.id }],
    [
      () => ann.put(`/api-key/${key.id}/disabled`, { isDisabled: true }),
      "api-key.disable",
      { ...about, apiKeyId: key.id },
    ],
    [
      () => ann.put(`/api-key/${key.id}/disabled`, { isDisabled: false }),
      "api-key.enable",
      { ...about, apiKeyId: key.id },
    ],
    [
      () => ann.post(`/api-key/${key.id}/roll`, { overlapMinutes: 60 }),
      "api-key.roll",
      { ...about, apiKeyId: expect.any(Number) },
    ],
    [
      () => ann.delete(`/api-key/${key.id}`),
      "api-key.delete",
      { environmentId: environment.id, apiKeyId: key.id, apiKeyName: "ci (replaced)" },
    ],
    ...descriptionChanges(ann, collection.data.id),
    ...(await sharingChanges({ ann, bob }, collection.data.id)),
    ...trashChanges(ann, environment),
    [
      () => ann.post("/hrkljush/product/create", { name: "p", type: "SERVICE", category: "SOFTWARE" }),
      "product.create",
      { productId: expect.any(Number) },
    ],
    ...accountChanges(ann, other),
    [() => ann.put("/users", { username: "ann", email: ann.email }), "account.update", { userId: expect.any(Number) }],
    [
      () =>
        ann.put("/users/password", {
          oldPassword: password,
          password: "another password",
          password2: "another password",
        }),
      "account.password",
      { userId: expect.any(Number) },
    ],
    [
      () => ann.post("/users/me/tokens", { name: "laptop", scope: "read" }),
      "token.create",
      { userId, tokenName: "laptop" },
    ],
    [
      async () => ann.delete(`/users/me/tokens/${(await ann.get<Token[]>("/users/me/tokens")).body.data[0]?.id}`),
      "token.revoke",
      { userId, tokenName: "laptop" },
    ],
    [() => ann.post("/users/me/sessions/end-others"), "session.end-others", { userId }],
    [() => ann.post("/users/logout"), "session.end", {}],
  ]
  for (const [call] of changes) expect(await call()).toMatchObject({ body: { error: false } })
  expect(events.slice(seen).map(({ action, subject }) => [action, subject])).toEqual(
    changes.map(([, action, subject]) => [action, subject]),
  )
  for (const { caller } of events.slice(seen))
    expect(caller).toMatchObject({ kind: "user", userId: expect.any(Number) })

  const earlier = events.slice(0, seen).map(({ action, caller }) => `${action} by ${caller.kind}`)
  expect(earlier).toEqual([
    "account.create by guest",
    "session.begin by guest",
    "account.create by guest",
    "session.begin by guest",
    "admin.grant by server",
    "account.create by guest",
    "session.begin by guest",
    "collection.create by user",
    "environment.create by user",
    "environment.create by user",
    "item.add by user",
    "api-key.create by user",
    "item.add by user",
    // Of the collection that was duplicated, then of the new one.
    "collection.duplicate by user",
    "collection.create by user",
  ])

  const { token } = await createReset(app.core, theServer, userId)
  await app.guest.post("/users/password/reset", { token, password, password2: password })
  expect(events.slice(-2).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])).toEqual([
    ["account.reset-link by server", { userId }],
    ["account.reset-password by guest", { userId }],
  ])

  const { id: bobId } = (await bob.get<User>("/users/me")).body.data
  expect(await loginEvents(app, bob, events)).toEqual([
    ["token.deny by user", { userId: bobId, tokenName: "envkeep CLI on laptop" }],
    ["token.approve by user", { userId: bobId, tokenName: "envkeep CLI on laptop" }],
    ["token.create by guest", { userId: bobId, tokenName: "envkeep CLI on laptop" }],
    ["token.revoke by user", { userId: bobId, tokenName: "envkeep CLI on laptop" }],
  ])
  expect(await passkeyEvents(app, bob, events)).toEqual([
    ["passkey.add by user", { userId: bobId, names: ["laptop"] }],
    ["session.begin by guest", { userId: bobId }],
    // With the second step. The session that it replaces was of the same browser.
    ["session.begin by user", { userId: bobId }],
    ["passkey.rename by user", { userId: bobId, names: ["phone"] }],
    ["passkey.remove by user", { userId: bobId, names: ["phone"] }],
  ])
  await bob.post("/users/login", { email: bob.email, password })
  await app.guest.post("/users/login", { email: bob.email, password })
  const sessions = (await bob.get<Session[]>("/users/me/sessions")).body.data
  await bob.delete(`/users/me/sessions/${sessions[1]?.id}`)
  await bob.post("/users/me/delete", { password })
  expect(events.slice(-2).map(({ action, subject }) => [action, subject])).toEqual([
    ["session.end-one", { userId: bobId }],
    ["account.delete", { userId: bobId, username: "someone" }],
  ])

  const eve = await app.user()
  const hooks = `/collections/${(await eve.collection()).id}/webhooks`
  const webhook = (await eve.post<{ id: number }>(hooks, { url: "https://hooks.example.com/a value" })).body.data
  await eve.put(`${hooks}/${webhook.id}`, { description: "b value" })
  await eve.post(`${hooks}/${webhook.id}/rotate-secret`, { overlapHours: 0 })
  await eve.delete(`${hooks}/${webhook.id}`)
  expect(events.slice(-4).map(({ action, subject }) => [action, subject.webhookHost])).toEqual(
    ["create", "update", "rotate-secret", "delete"].map((what) => [`webhook.${what}`, "hooks.example.com"]),
  )

  expect(await factorEvents(app, events)).toEqual([
    "totp.enable by user",
    "recovery-codes.create by user",
    "session.begin by guest",
    "recovery-code.use by guest",
    "session.begin by guest",
    "account.factor-link by user",
    "session.begin by guest",
    "account.remove-factors by guest",
    "totp.enable by user",
    "totp.disable by user",
  ])

  await go(eve, forger.comeBack(await beginConnecting(eve)))
  const { identities } = (await eve.get<OutputOf<typeof calls.identities.list>>("/users/me/identities")).body.data
  await eve.delete(`/users/me/identities/${identities[0]?.id}`)
  const { id: eveId } = (await eve.get<User>("/users/me")).body.data
  expect(events.slice(-2).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])).toEqual([
    ["identity.connect by user", { userId: eveId }],
    ["identity.disconnect by user", { userId: eveId }],
  ])

  const zoe = await app.user()
  await app.db.updateTable("user").set({ password_hash: "" }).where("email", "=", zoe.email).execute()
  await zoe.post("/users/me/confirm/provider", { provider: "acme", to: "/" })
  await zoe.post("/users/me/delete-confirmed")
  expect(events.at(-1)).toMatchObject({ action: "account.delete", subject: { username: "someone" } })

  expect(JSON.stringify(events)).not.toMatch(/[abc] value/)
  // A test and another delivery of a message are not changes.
  const onlyReads: Call[] = [
    ...[calls.users.checkResetLink, calls.invitations.look, calls.find.byName, calls.cliLogins.look],
    ...[calls.webhooks.test, calls.webhooks.redeliver, calls.identities.confirm],
  ]
  const writes = allCalls.filter((call) => call.method !== "GET" && !onlyReads.includes(call))
  expect(routesIn(app.log)).toEqual(expect.arrayContaining(writes.map(routeOf)))
})

/** What is recorded of second factors: set up, used, lost and switched off. */
async function factorEvents(app: TestApp, events: ChangeEvent[]): Promise<string[]> {
  const [admin, mia, browser] = [await app.admin(), await app.user(), person(app.app)]
  const { id } = (await mia.get<User>("/users/me")).body.data
  const seen = events.length
  const { secret } = await setUpTotp(mia)
  const { recoveryCodes } = (await mia.post<RecoveryCodes>("/users/me/recovery-codes")).body.data
  const finish = async (path: string, body: object) => {
    browser.forget()
    await browser.post("/users/login", { email: mia.email, password })
    expect(await browser.post(`/users/login/${path}`, body)).toMatchObject({ status: 200 })
  }
  await finish("recovery-code", { code: recoveryCodes[0] })
  await finish("code", { code: nextCodeOf(secret) })
  const { token } = (await admin.post<{ token: string }>(`/admin/users/${id}/factor-link`)).body.data
  await finish("factor-link", { token })
  await setUpTotp(browser)
  await browser.post("/users/me/confirm", { password })
  await browser.delete("/users/me/totp")
  return events.slice(seen).map(({ action, caller }) => `${action} by ${caller.kind}`)
}

/** What is recorded of a login of the command that is denied, and of one that is approved, collected and ended. */
async function loginEvents({ app, guest }: TestApp, bob: Person, events: ChangeEvent[]): Promise<unknown[]> {
  const seen = events.length
  let token = ""
  for (const decision of ["deny", "approve"]) {
    const begun = await guest.post<OutputOf<typeof calls.cliLogins.begin>>("/cli/logins", { machine: "laptop" })
    const { userCode, deviceCode } = begun.body.data
    await bob.post(`/cli/logins/${decision}`, { userCode, ...(decision === "approve" && { scope: "read" }) })
    const polled = await guest.post<OutputOf<typeof calls.cliLogins.poll>>("/cli/logins/poll", { deviceCode })
    token = polled.body.data.token?.token ?? token
  }
  await person(app, bob.email, token).delete("/users/me/token")
  return events.slice(seen).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])
}

async function passkeyEvents(app: TestApp, bob: Person, events: ChangeEvent[]): Promise<unknown[]> {
  const seen = events.length
  await usePasskeyInEveryWay(app, bob)
  return events.slice(seen).map(({ action, caller, subject }) => [`${action} by ${caller.kind}`, subject])
}

function descriptionChanges(ann: Person, collectionId: number): [() => Promise<unknown>, string, object][] {
  const names = `/collections/${collectionId}/names`
  const about = { collectionId, names: ["NAME"] }
  return [
    [() => ann.put(names, { name: "NAME", example: "a value" }), "name.describe", about],
    [() => ann.post(names, [{ name: "NAME", description: "b value" }]), "name.describe", about],
    [() => ann.delete(`${names}?name=NAME`), "name.undescribe", about],
  ]
}

function accountChanges(ann: Person, userId: number): [() => Promise<unknown>, string, object][] {
  const change = (name: string) => () => ann.post(`/admin/users/${userId}/${name}`)
  return [
    [change("grant-admin"), "admin.grant", { userId }],
    [change("revoke-admin"), "admin.revoke", { userId }],
    [change("reset-link"), "account.reset-link", { userId }],
    [change("end-sessions"), "account.end-sessions", { userId }],
    [change("disable"), "account.disable", { userId }],
    [change("enable"), "account.enable", { userId }],
  ]
}

/** Ids and secrets are learned from the answers. */
async function sharingChanges(
  { ann, bob }: { ann: Person; bob: Person },
  collectionId: number,
): Promise<[() => Promise<unknown>, string, object][]> {
  const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id
  const [annId, userId] = [await idOf(ann), await idOf(bob)]
  const who = bob.email
  const shared = `/collections/${collectionId}`
  const about = { collectionId, userId }
  const team = { id: expect.any(Number), name: "team" }
  let teamPath = ""
  let invitation = { id: 0, secret: "" }
  const invite = async (path: string, body: object = {}) => {
    const answer = await ann.post<NewInvitation>(`${path}/invitations`, body)
    invitation = answer.body.data
    return answer
  }
  const createTeam = async () => {
    const answer = await ann.post<Team>("/teams", { name: "team" })
    teamPath = `/teams/${answer.body.data.id}`
    return answer
  }
  const inTeams = () => `${shared}${teamPath}`
  const teamId = () => Number(teamPath.split("/")[2])
  const accept = () => bob.post("/invitations/accept", { secret: invitation.secret })
  return [
    [() => ann.post(`${shared}/members`, { who, role: "viewer" }), "member.add", { ...about, role: "viewer" }],
    [() => ann.put(`${shared}/members/${userId}`, { role: "owner" }), "member.change", { ...about, role: "owner" }],
    [() => bob.post(`${shared}/transfer`, { userId }), "collection.transfer", about],
    [() => bob.post(`${shared}/transfer`, { userId: annId }), "collection.transfer", { collectionId, userId: annId }],
    [() => ann.delete(`${shared}/members/${userId}`), "member.remove", about],
    [() => invite(shared, { role: "editor" }), "invitation.create", { collectionId, role: "editor" }],
    [accept, "invitation.accept", { ...about, role: "editor" }],
    [() => ann.delete(`${shared}/invitations/${invitation.id}`), "invitation.revoke", { collectionId }],
    [() => bob.post(`${shared}/leave`), "member.leave", about],
    [createTeam, "team.create", { team }],
    [() => ann.put(teamPath, { name: "renamed" }), "team.rename", { team: { ...team, name: "renamed" } }],
    [() => ann.put(teamPath, { name: "team" }), "team.rename", { team }],
    [() => ann.post(`${teamPath}/members`, { who }), "team.add-member", { team, userId }],
    [() => ann.put(`${teamPath}/members/${userId}`, { isAdmin: true }), "team.change-member", { team, userId }],
    [() => ann.delete(`${teamPath}/members/${userId}`), "team.remove-member", { team, userId }],
    [() => invite(teamPath), "invitation.create", { team }],
    [accept, "invitation.accept", { team, userId }],
    [() => ann.delete(`${teamPath}/invitations/${invitation.id}`), "invitation.revoke", { team }],
    [() => bob.post(`${teamPath}/leave`), "team.leave", { team, userId }],
    [
      () => ann.post(`${shared}/teams`, { teamId: teamId(), role: "viewer" }),
      "member.add-team",
      { collectionId, team, role: "viewer" },
    ],
    [() => ann.put(inTeams(), { role: "owner" }), "member.change-team", { collectionId, team, role: "owner" }],
    [() => ann.delete(inTeams()), "member.remove-team", { collectionId, team }],
    [() => ann.delete(teamPath), "team.delete", { team }],
    [() => invite("/admin"), "invitation.create", {}],
    [() => ann.delete(`/admin/invitations/${invitation.id}`), "invitation.revoke", {}],
  ]
}

/** Both are called "other" by now. */
function trashChanges(ann: Person, { id, collectionId }: Environment): [() => Promise<unknown>, string, object][] {
  const name = "other"
  const about = { collectionId, environmentId: id, environmentName: name }
  const whole = { collectionId, collectionName: name }
  return [
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.post(`/trash/environments/${id}/restore`), "environment.recover", about],
    [() => ann.delete(`/subcollection/${id}`), "environment.delete", about],
    [() => ann.purge("environments", { id, name }), "environment.purge", about],
    [() => ann.post(`/collections/${collectionId}/trash/empty`, { name }), "trash.empty", { collectionId }],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.post(`/trash/collections/${collectionId}/restore`), "collection.recover", whole],
    [() => ann.delete(`/collection/${collectionId}`), "collection.delete", whole],
    [() => ann.purge("collections", { id: collectionId, name }), "collection.purge", whole],
    [() => ann.post("/trash/empty", { name: "someone" }), "trash.empty", { userId: expect.any(Number) }],
  ]
}

test("saving what is already there records nothing", async () => {
  const { app, events } = await recordingApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "NAME", "a value")
  const seen = events.length
  await ann.put(`/collectionItem/${item.id}`, { name: "NAME", value: "a value" })
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "a value" }])
  expect(events.length).toBe(seen)
})

test("if its event cannot be recorded, a change is not made", async () => {
  let refuse = false
  const { app } = await recordingApp(() => {
    if (refuse) throw new Error("the event cannot be written")
  })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  await ann.item(environment, "NAME", "before")
  refuse = true
  const answer = await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "after" }])
  expect(answer.status).toBe(500)
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"before"}')
})

test("listeners are called for each commit before the caller is answered, and not for changes that failed", async () => {
  const { core, ...app } = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const received: string[] = []
  core.listeners.push(
    (changes) => void received.push(`first ${JSON.stringify(changes)}`),
    (changes) => void received.push(`second ${JSON.stringify(changes)}`),
  )
  await ann.item(environment, "NAME", "a value")
  const change = JSON.stringify([{ environmentId: environment.id }])
  expect(received).toEqual([`first ${change}`, `second ${change}`])
  await ann.item(environment, "NAME", "taken")
  expect(received).toHaveLength(2)
})
