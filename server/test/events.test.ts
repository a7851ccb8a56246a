import { type Call, calls, type OutputOf, type Session, type Team, type User } from "@envkeep/contract"
import { allCalls, routeOf, routesIn } from "@envkeep/testing/all-calls.ts"
import { password } from "@envkeep/testing/app.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginConnecting, go } from "@envkeep/testing/oidc/sign-in.ts"
import { recordingApp } from "@envkeep/testing/recording-app.ts"
import { expect, test } from "vitest"
import { theServer } from "../src/access/caller.ts"
import { createReset } from "../src/features/users/resets/rules.ts"
import {
  accountChanges,
  type Change,
  descriptionChanges,
  environmentChanges,
  ownAccountChanges,
  sharingChanges,
  trashChanges,
} from "./events/changes.ts"
import { factorEvents, loginEvents, passkeyEvents } from "./events/sign-ins.ts"

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
  const changes: Change[] = [
    ...environmentChanges(ann, { environment, base, item, key }),
    ...descriptionChanges(ann, collection.data.id),
    ...(await sharingChanges({ ann, bob }, collection.data.id)),
    ...trashChanges(ann, environment),
    [
      () => ann.post("/hrkljush/product/create", { name: "p", type: "SERVICE", category: "SOFTWARE" }),
      "product.create",
      { productId: expect.any(Number) },
    ],
    ...accountChanges(ann, other),
    ...ownAccountChanges(ann, userId),
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

  const joe = await app.admin()
  const team = (await joe.post<Team>("/teams", { name: "ops" })).body.data
  await joe.put(`/admin/claimed-teams/${team.id}`, { value: "ops" })
  await joe.delete(`/admin/claimed-teams/${team.id}`)
  expect(events.slice(-2).map(({ action, subject }) => [action, subject])).toEqual([
    ["team.tie", { team: { id: team.id, name: "ops" } }],
    ["team.untie", { team: { id: team.id, name: "ops" } }],
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
