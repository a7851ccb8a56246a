import {
  allows,
  type Call,
  type CreatedToken,
  calls,
  type Level,
  levels,
  scopeOf,
  scopes,
  sentences,
} from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { takesAll, testOnce } from "@envkeep/testing/once.ts"
import { type Answer, type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { makeCall } from "./access/make-call.ts"
import { type Ids, type Sample, table, unknownIds } from "./access/samples.ts"
import { addMember, addToTeam, createThings, currentValue, oldValue, userIdOf } from "./access/things.ts"

// Makes every call of the contract as a guest, as another user, as the owner, as an administrator who is not the owner, in
// every role, with tokens, and with a disabled account.

test("every call by a guest, by another user, and by an administrator who is not the owner", async () => {
  const app = await testApp()
  const [owner, other, admin] = [await app.user(), await app.user(), await app.admin()]
  const ids = await createThings(app, owner)
  const before = await state(app)
  for (const [name, call, sample] of table) {
    const byGuest = await makeCall(app.guest, call, sample(ids))
    if (call.access === "anyone") expect([name, byGuest.status]).not.toEqual([name, 403])
    else expect([name, byGuest.status, byGuest.body.msg]).toEqual([name, 401, "Please log in first"])

    if (call.access === "admin") {
      const byUser = await makeCall(other, call, sample(ids))
      expect([name, byUser.status, byUser.body.msg]).toEqual([name, 403, "Only administrators may do this"])
    }
    const { notFound } = sample(ids)
    for (const stranger of notFound === undefined ? [] : [other, admin]) {
      const owned = await makeCall(stranger, call, sample(ids))
      const unknown = await makeCall(stranger, call, sample(unknownIds))
      const envelope = JSON.stringify({ error: true, msg: notFound, data: null })
      expect([name, owned.status, owned.text]).toEqual([name, 404, envelope])
      expect([name, headersWithoutDate(unknown)]).toEqual([name, headersWithoutDate(owned)])
      expect([name, unknown.text]).toEqual([name, owned.text])
    }
  }
  expect(await state(app)).toEqual(before)
})

const byFolder = [...Map.groupBy(table, ([, call]) => call.path.split("/")[1])]

testOnce.each(byFolder)("every call under /%s by the one who may make it", async (_, rows) => {
  const app = await testApp()
  const admin = await app.admin()
  const withThings = async () => {
    const owner = await app.user()
    return { owner, ids: await createThings(app, owner) }
  }
  let own = await withThings()
  for (const [name, call, sample] of rows) {
    if (call === calls.collections.live) {
      await expectStream(app, own)
      continue
    }
    const isRefusedLogin = call === calls.users.login
    const isUnknownLink = call === calls.users.checkResetLink || call === calls.users.resetPassword
    const isWithoutToken = call === calls.cliLogins.logout
    const isWithoutProvider = call === calls.identities.connect || call === calls.identities.confirm
    const hasPassword = call === calls.users.deleteAccountConfirmed
    const isRefused = isUnknownLink || isWithoutToken || isWithoutProvider || hasPassword
    const isPayer = call === calls.members.leave || call === calls.users.deleteAccount
    const stays = isPayer ? 409 : undefined
    const status = isRefusedLogin ? 401 : isRefused ? 400 : (withoutFactor.get(call) ?? stays ?? call.status ?? 200)
    const make = () => makeCall(call.access === "admin" ? admin : own.owner, call, sample(own.ids))
    let answer = await make()
    if (answer.status !== status) {
      // A call before it may have changed what it is about.
      own = await withThings()
      answer = await make()
    }
    expect([name, answer.status]).toEqual([name, status])
    if (status < 300 && !call.plain) expect([name, answer.body]).toMatchObject([name, { error: false, msg: call.done }])
  }
})

/**
 * How calls answer that need a second factor, a login that waits for one, or the answer of a passkey. The owner has a passkey
 * of another host. `second-factors/` and `passkeys/` have their tests.
 */
const withoutFactor = new Map<Call, number>([
  [calls.secondFactors.signInWithCode, 401],
  [calls.secondFactors.signInWithRecoveryCode, 401],
  [calls.secondFactors.signInWithLink, 401],
  [calls.secondFactors.confirmTotp, 409],
  [calls.secondFactors.removeTotp, 409],
  [calls.passkeys.add, 400],
  [calls.passkeys.signIn, 401],
  [calls.passkeys.beginSecondStep, 401],
  [calls.passkeys.secondStep, 401],
  [calls.passkeys.beginConfirming, 400],
  [calls.passkeys.confirm, 400],
])

async function expectStream({ app }: TestApp, { owner, ids }: { owner: Person; ids: Ids }): Promise<void> {
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  const { status, headers, body } = await fetch(`${url}/api/collections/${ids.collectionId}/live`, {
    headers: { cookie: owner.cookie },
  })
  expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"])
  await body?.cancel()
}

testOnce.each(["collection", "subcollection"])("what a deleted %s holds looks like it does not exist", async (kind) => {
  const app = await testApp()
  const owner = await app.user()
  const ids = await createThings(app, owner)
  const { collectionId, trashedEnvironmentId, environmentId, itemId, apiKeyId } = ids
  const inEnvironment = { environmentId, itemId, apiKeyId }
  await owner.delete(`/${kind}/${kind === "collection" ? collectionId : environmentId}`)
  const before = await state(app)
  const inCollection = kind === "collection" ? { collectionId, trashedEnvironmentId } : {}
  const hiddenIds = { ...unknownIds, ...inEnvironment, ...inCollection }
  const about = table.filter(([, , sample]) => JSON.stringify(sample(hiddenIds)) !== JSON.stringify(sample(unknownIds)))
  expect(about.length).toBeGreaterThan(15)
  for (const [, call, sample] of about) {
    const hidden = await makeCall(owner, call, sample(hiddenIds))
    const unknown = await makeCall(owner, call, sample(unknownIds))
    expect([call.path, hidden.status, hidden.text]).toEqual([call.path, 404, unknown.text])
    expect(headersWithoutDate(hidden)).toEqual(headersWithoutDate(unknown))
  }
  expect(await state(app)).toEqual(before)
})

/** What a member sees as soon as the collection is shared: with a role that is too weak, the answer says so. */
const seenByMembers = ["collectionId", "environmentId", "itemId"] as const
const inEnvironment = ["environmentId", "itemId", "apiKeyId"] as const

/** A role of one's own and one by a team take turns. */
const combinations = levels.flatMap((role, at) =>
  [false, true].map((isProtected) => {
    return [role, isProtected, (at % 2 === 0) === isProtected ? "by a team" : "directly"] as const
  }),
)

// Every role is the same condition with other levels, so PostgreSQL gets one in the middle, directly and by a team. All of
// them run in the long tests.
const tried = takesAll ? combinations : combinations.filter(([role]) => role === "editor")

test.each(tried)("every call by a %s, in a protected environment: %s, %s", async (role, isProtected, by) => {
  const app = await testApp()
  const [owner, member] = [await app.user(), await app.user()]
  const share = async () => {
    const ids = await createThings(app, owner)
    const collections = [ids.collectionId, ids.trashedCollectionId]
    for (const collectionId of collections) await addMember(app, { collectionId, member, role, by })
    // Only for what the member does with teams in the collection.
    await addToTeam(app, ids.teamId, await userIdOf(app, member))
    if (isProtected) await owner.put(`/environments/${ids.environmentId}/protection`, { isProtected })
    // Who is in the collection by a team alone cannot be asked.
    const userId = await userIdOf(app, member)
    await owner.post(`/collections/${ids.collectionId}/transfer`, { userId })
    return ids
  }
  const about = table.filter(
    ([, call, sample]) => call.level !== undefined && sample(unknownIds).notFound !== undefined,
  )
  const isAllowed = (role: Level, call: Call, sample: (ids: Ids) => Sample) =>
    allows(role, call.level as Level, { isProtected: isProtected && isAbout(sample, inEnvironment) })
  const ids = await share()
  const before = await state(app)
  for (const [, call, sample] of about.filter(([, call, sample]) => !isAllowed(role, call, sample))) {
    const refused = await makeCall(member, call, sample(ids))
    const expected = isAbout(sample, seenByMembers) ? [403, sentences.roleTooWeak] : [404, sample(ids).notFound]
    expect([call.path, refused.status, refused.body.msg]).toEqual([call.path, ...expected])
  }
  expect(await state(app)).toEqual(before)

  const seesValues = allows(role, "reader", { isProtected })
  const weaker = levels[levels.indexOf(role) - 1]
  for (const [, call, sample] of about.filter(([, call, sample]) => isAllowed(role, call, sample))) {
    if (call === calls.collections.live) continue
    // A call that changes things needs new ones each time, so only the weakest role that may make it tries.
    const isChange = call.method !== "GET"
    if (isChange && weaker !== undefined && isAllowed(weaker, call, sample)) continue
    const answer = await makeCall(member, call, sample(isChange ? await share() : ids))
    const ofTeam = by === "by a team" ? refusedByTeam.get(call) : undefined
    expect([call.path, answer.status]).toEqual([call.path, ofTeam ?? call.status ?? 200])
    if (!seesValues) expect([call.path, hasValue(answer)]).toEqual([call.path, false])
    if (!allows(role, "editor", { isProtected })) {
      expect([call.path, answer.text.includes("ek_")]).toEqual([call.path, false])
    }
  }
  const whole = await member.get(`/collection/${ids.collectionId}`)
  expect(whole.body.data).toMatchObject({ role })
  expect(hasValue(whole)).toBe(seesValues)
})

/** Calls about a role of one's own. */
const refusedByTeam = new Map<Call, number>([
  [calls.members.leave, 409],
  [calls.members.takeOver, 403],
  [calls.members.endTransfer, 403],
])

function hasValue({ text }: Answer): boolean {
  return text.includes(oldValue) || text.includes(currentValue)
}

/** Whether a call is about one of these things. */
function isAbout(sample: (ids: Ids) => Sample, kinds: readonly (keyof Ids)[]): boolean {
  const others = { ...unknownIds, ...Object.fromEntries(kinds.map((kind) => [kind, 1])) }
  return JSON.stringify(sample(others)) !== JSON.stringify(sample(unknownIds))
}

testOnce.each(scopes)("a token of the scope %s makes the calls that its scope allows, and no others", async (scope) => {
  const app = await testApp()
  const owner = await app.admin()
  const ids = await createThings(app, owner)
  const { key } = await owner.apiKey({ id: ids.environmentId }, "another")
  const token = await withToken(app, owner, { name: "all", scope })
  const whole = await token.get(`/subcollection/${ids.environmentId}`)
  expect(whole.text.includes(currentValue)).toBe(scope !== "names")
  for (const [, call, sample] of table.filter(([, call]) => takesTokens(call))) {
    const needed = scopeOf(call)
    const answer = await makeCall(token, call, sample(ids))
    const refusal =
      needed === "never"
        ? "This cannot be done with a token. Please log in"
        : scopes.indexOf(scope) < scopes.indexOf(needed)
          ? `This token may not do this. It needs the scope ${needed}`
          : undefined
    if (refusal === undefined) expect([call.path, answer.status]).not.toEqual([call.path, expect.toBeOneOf([401, 403])])
    else expect([call.path, answer.status, answer.body.msg]).toEqual([call.path, 403, refusal])
    if (scope === "names") for (const secret of [oldValue, currentValue]) expect(answer.text).not.toContain(secret)
    if (scope === "names" || scope === "read") expect(answer.text).not.toContain(key)
  }
})

testOnce("a disabled account can make no call, by its cookie or by its token", async () => {
  const app = await testApp()
  const [owner, admin] = [await app.user(), await app.admin()]
  const ids = await createThings(app, owner)
  const token = await withToken(app, owner, { name: "all", scope: "manage" })
  expect(await admin.post(`/admin/users/${ids.ownerId}/disable`)).toMatchObject({ status: 200 })
  const before = await state(app)
  for (const [, call, sample] of table.filter(([, call]) => call.access !== "anyone")) {
    const answers = [await makeCall(owner, call, sample(ids)), await makeCall(token, call, sample(ids))]
    expect([call.path, ...answers.map(({ status }) => status)]).toEqual([call.path, 401, 401])
  }
  expect(await state(app)).toEqual(before)
})

testOnce("a token that may only read makes no call that changes anything", () => {
  // A search is sent in a body, so that no proxy logs it.
  const changing = table.filter(([, call]) => takesTokens(call) && call.method !== "GET" && call !== calls.find.byName)
  const open = changing.filter(([, call]) => ["names", "read"].includes(scopeOf(call)))
  // A token may always end itself.
  expect(open.map(([name]) => name)).toEqual(["DELETE /users/me/token"])
})

testOnce("a token that is limited to another collection finds nothing of this one", async () => {
  const app = await testApp()
  const owner = await app.admin()
  const ids = await createThings(app, owner)
  const { id: otherId } = await owner.collection("other")
  const token = await withToken(app, owner, { name: "limited", scope: "manage", collectionIds: [otherId] })
  const before = await state(app)
  for (const [, call, sample] of table.filter(([, call]) => takesTokens(call) && scopeOf(call) !== "never")) {
    const answer = await makeCall(token, call, sample(ids))
    const { notFound } = sample(ids)
    if (call.level === undefined && call.access !== "anyone") {
      const refusal = "This token is limited to some collections, so it cannot do this"
      expect([call.path, answer.status, answer.body.msg]).toEqual([call.path, 403, refusal])
    } else if (notFound === undefined) {
      for (const name of ["app", "deleted"]) expect([call.path, answer.text]).not.toContain(`"name":"${name}"`)
    } else {
      const unknown = await makeCall(token, call, sample(unknownIds))
      expect([call.path, answer.status, answer.body.msg]).toEqual([call.path, 404, notFound])
      expect([answer.text, headersWithoutDate(answer)]).toEqual([unknown.text, headersWithoutDate(unknown)])
    }
  }
  expect(await state(app)).toEqual(before)
  expect(await token.get("/collection")).toMatchObject({ body: { data: [{ id: otherId }] } })
  expect(await token.put(`/collection/${otherId}`, { name: "mine" })).toMatchObject({ status: 200 })
  const environment = await token.environment("production", otherId)
  expect(await token.item(environment, "A", "the value of A")).toMatchObject({ value: "the value of A" })
})

/** The same user, by a new token instead of the cookie. */
async function withToken({ app }: TestApp, user: Person, settings: object): Promise<Person> {
  const { token } = (await user.post<CreatedToken>("/users/me/tokens", settings)).body.data
  return person(app, user.email, token)
}

/** A stream never ends, so its test is elsewhere. */
function takesTokens(call: Call): boolean {
  return call !== calls.collections.live && (call.access !== "anyone" || call.token !== undefined)
}

async function state({ db }: TestApp): Promise<unknown> {
  return {
    collections: await db.selectFrom("collection").selectAll().orderBy("id").execute(),
    environments: await db.selectFrom("environment").selectAll().orderBy("id").execute(),
    describedNames: await db.selectFrom("described_name").selectAll().orderBy("id").execute(),
    items: await db.selectFrom("item").selectAll().orderBy("id").execute(),
    revisions: await db.selectFrom("revision").selectAll().orderBy("id").execute(),
    versions: await db.selectFrom("item_version").selectAll().orderBy("id").execute(),
    apiKeys: await db.selectFrom("api_key").selectAll().orderBy("id").execute(),
    members: await db.selectFrom("collection_member").selectAll().orderBy("id").execute(),
    teams: await db.selectFrom("team").selectAll().orderBy("id").execute(),
    teamMembers: await db.selectFrom("team_member").selectAll().orderBy("id").execute(),
    collectionTeams: await db.selectFrom("collection_team").selectAll().orderBy("id").execute(),
    invitations: await db.selectFrom("invitation").selectAll().orderBy("id").execute(),
  }
}

function headersWithoutDate({ headers }: Answer): unknown {
  const { date: _, ...rest } = headers
  return rest
}
