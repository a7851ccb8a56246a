import type { NewInvitation, Team, User } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { engine } from "@envkeep/testing/database.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import { type CompiledQuery, sql } from "kysely"
import { expect, test } from "vitest"

const idOf = async (one: Person) => (await one.get<User>("/users/me")).body.data.id
const dayMs = 24 * 3_600_000

interface To {
  collection_id?: number
  team_id?: number
}

/** The three ways in which an invitation is closed. */
const closings = [{ revoked_at: 1 }, { uses: 1 }, { expires_at: Date.now() - dayMs }]

let inserted = 0

/** As an older version has kept them. */
async function insertMany(
  { db }: TestApp,
  { to, by, count, isOpen = false }: { to: To; by: number; count: number; isOpen?: boolean },
): Promise<void> {
  const rowsPerInsert = 1_000
  for (let left = count; left > 0; left -= rowsPerInsert) {
    const rows = Array.from({ length: Math.min(left, rowsPerInsert) }, (_, at) => ({
      ...to,
      secret_hash: `hash ${inserted++}`,
      invited_by_id: by,
      created_at: 1,
      max_uses: 1,
      uses: 0,
      revoked_at: null,
      expires_at: Date.now() + dayMs,
      ...(isOpen ? {} : closings[at % closings.length]),
    }))
    await db.insertInto("invitation").values(rows).execute()
  }
}

async function countOf({ db }: TestApp, to: To): Promise<number> {
  const rows = await db.selectFrom("invitation").select(["collection_id", "team_id"]).execute()
  return rows.filter((row) => row.collection_id === (to.collection_id ?? null) && row.team_id === (to.team_id ?? null))
    .length
}

interface Place {
  by: Person
  path: string
  to: To
  terms: object
}

/** Everything that there are invitations to, each with one who can make them. */
async function places(app: TestApp): Promise<Place[]> {
  const [ann, admin] = [await app.user(), await app.admin()]
  const { id: collectionId } = await ann.collection()
  const { id: teamId } = (await ann.post<Team>("/teams", { name: "team" })).body.data
  return [
    { by: ann, path: `/collections/${collectionId}`, to: { collection_id: collectionId }, terms: { role: "viewer" } },
    { by: ann, path: `/teams/${teamId}`, to: { team_id: teamId }, terms: {} },
    { by: admin, path: "/admin", to: {}, terms: {} },
  ]
}

test("of closed invitations the newest thousand are kept, and what is open stays however old it is", async () => {
  const app = await testApp()
  const all = await places(app)
  const invite = async ({ by, path, terms }: Place) =>
    (await by.post<NewInvitation>(`${path}/invitations`, terms)).body.data
  const open: NewInvitation[] = []
  for (const place of all) {
    open.push(await invite(place), await invite(place))
    await insertMany(app, { to: place.to, by: await idOf(place.by), count: 1_700 })
  }
  const counts = () => Promise.all(all.map(({ to }) => countOf(app, to)))
  expect(await counts()).toEqual([1_702, 1_702, 1_702])
  for (const [at, place] of all.entries()) {
    const others = (await counts()).toSpliced(at, 1)
    // What is too much goes in small pieces, with each new one.
    for (const left of [1_203, 1_002, 1_002]) {
      const { id } = await invite(place)
      expect(await countOf(app, place.to)).toBe(left)
      await place.by.delete(`${place.path}/invitations/${id}`)
    }
    expect((await counts()).toSpliced(at, 1)).toEqual(others)
  }
  for (const { secret } of open) expect((await app.guest.post("/invitations/look", { secret })).status).toBe(200)
})

test("of what one user has made in many places, the newest ten thousand are kept", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [first, second] = [await ann.collection("first"), await ann.collection("second")]
  await ann.post(`/collections/${first.id}/members`, { who: bob.email, role: "maintainer" })
  const to = { collection_id: first.id }
  await insertMany(app, { to, by: await idOf(bob), count: 10, isOpen: true })
  await insertMany(app, { to, by: await idOf(ann), count: 10_600, isOpen: true })
  for (const left of [10_101, 10_000, 10_000]) {
    expect((await ann.post(`/collections/${second.id}/invitations`, { role: "viewer" })).status).toBe(201)
    const made = await app.db
      .selectFrom("invitation")
      .select("id")
      .where("invited_by_id", "=", await idOf(ann))
      .execute()
    expect(made).toHaveLength(left)
  }
  expect(await countOf(app, to)).toBe(10 + 9_997)
})

test("each statement about the invitations of a place finds them in the index of that place", async () => {
  const executed = new Map<string, CompiledQuery>()
  const app = await testApp({ logQuery: ({ query }) => executed.set(query.sql, query) })
  const all = await places(app)
  // More than there usually are in one place. PostgreSQL chooses by how many there are.
  for (const { to, by } of all) await insertMany(app, { to, by: await idOf(by), count: to.team_id ? 3_000 : 900 })
  if (engine === "postgres") await sql`analyze invitation`.execute(app.db)
  const indexes = ["invitation_collection_id", "invitation_team_id", "invitation_to_server"]
  for (const [at, { by, path, terms }] of all.entries()) {
    executed.clear()
    await by.post(`${path}/invitations`, terms)
    const aboutPlace = [...executed.values()].filter((query) => query.sql.includes('"invitation"."revoked_at" is null'))
    expect(aboutPlace).toHaveLength(2)
    for (const query of aboutPlace) {
      const plan = await planOf(app, query)
      expect(plan.match(/invitation_(collection_id|team_id|to_server|expires)/g), plan).toEqual([indexes[at]])
    }
  }
})
