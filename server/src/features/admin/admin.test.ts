import { type DailyCount, productCategories, productTypes, type Sizes, type User } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { admin, backUp, backupFile } from "@envkeep/testing/commands.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test, vi } from "vitest"
import { createAdminUnlessTaken } from "../users/administration.ts"
import { countToday } from "./rules.ts"

const product = { name: "Envkeep Pro", description: "For teams", type: "SERVICE", category: "SOFTWARE" }

test("the counters count what all users own", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment, "A")
  await ann.item(environment, "B")
  await admin.collection()
  await admin.post("/hrkljush/product/create", product)

  const { status, body } = await admin.get<{ lastLoaded: string }>("/hrkljush")
  expect(status).toBe(200)
  expect(body.data).toEqual({
    lastLoaded: body.data.lastLoaded,
    productsCount: 1,
    usersCount: 2,
    collectionsCount: 2,
    environmentsCount: 1,
    itemsCount: 2,
    subscriptionsCount: 0,
  })
  expect(Math.abs(Date.now() - Date.parse(body.data.lastLoaded))).toBeLessThan(60_000)
})

testOnce("a product of every type and category can be created and is listed", async () => {
  const app = await testApp()
  const admin = await app.admin()
  expect(productCategories).toHaveLength(446)
  for (const type of productTypes) {
    const created = await admin.post("/hrkljush/product/create", { ...product, type })
    expect(created).toMatchObject({ status: 200, body: { msg: "Product created successfully", data: { type } } })
  }
  const last = productCategories.at(-1)
  await admin.post("/hrkljush/product/create", { name: "Plain", type: "DIGITAL", category: last })
  const { body } = await admin.get<{ products: { id: number }[] }>("/hrkljush/product/list")
  expect(body.data.products).toHaveLength(4)
  expect(body.data.products[0]).toMatchObject(product)
  expect(body.data.products[3]).toMatchObject({ name: "Plain", description: "", category: last })
})

testOnce.each([
  [{ ...product, name: " " }, "Name is required"],
  [{ ...product, type: "SERVICES" }, "Type must be SERVICE, PHYSICAL or DIGITAL"],
  [{ ...product, category: "software" }, "Category must be one of the listed categories"],
  [{ ...product, category: undefined }, "Category must be one of the listed categories"],
])("the product %j is refused in plain words", async (body, msg) => {
  const admin = await (await testApp()).admin()
  expect(await admin.post("/hrkljush/product/create", body)).toMatchObject({ status: 400, body: { error: true, msg } })
})

test("the admin command grants, revokes and lists by e-mail, and takes effect immediately", async () => {
  const app = await testApp()
  const ann = await app.user("ann@example.com")
  expect((await ann.get("/hrkljush")).status).toBe(403)

  expect(await admin(app.location, "grant", "ANN@example.com")).toEqual({
    exitCode: 0,
    out: ["ann@example.com is now an administrator"],
    err: [],
  })
  expect((await ann.get("/hrkljush")).status).toBe(200)
  expect((await admin(app.location, "list")).out).toEqual(["ann@example.com"])

  expect((await admin(app.location, "revoke", "ann@example.com")).exitCode).toBe(0)
  expect((await ann.get("/hrkljush")).status).toBe(403)
  expect((await admin(app.location, "list")).out).toEqual([])

  await admin(app.location, "disable", "ann@example.com")
  expect(await admin(app.location, "grant", "ann@example.com")).toEqual({
    exitCode: 0,
    out: ["ann@example.com is now an administrator"],
    err: ["ann@example.com is disabled: `npm run admin -- enable` lets them log in again"],
  })
})

testOnce("the admin command explains what is wrong", async () => {
  const { location } = await testApp()
  expect(await admin(location, "grant", "nobody@example.com")).toEqual({
    exitCode: 1,
    out: [],
    err: ["there is no account with the e-mail nobody@example.com"],
  })
  for (const misuse of [
    [],
    ["grant"],
    ["promote", "a@b"],
    ["list", "a@b"],
    ["delete"],
    ["list", "--yes"],
    ["grant", "a@b", "c@d"],
  ]) {
    expect(await admin(location, ...misuse)).toMatchObject({ exitCode: 2, err: [expect.stringMatching(/^usage:/)] })
  }
})

test("the administrator of the settings is created once, and never takes over an existing account", async () => {
  const app = await testApp()
  const make = (email: string) => createAdminUnlessTaken(app.core, { email, password: "first password" })
  expect((await Promise.all([make("boss@example.com"), make("boss@example.com")])).sort()).toEqual([
    "already admin",
    "created",
  ])
  const login = await app.guest.post("/users/login", { email: "boss@example.com", password: "first password" })
  expect(login.body.data).toMatchObject({ username: "boss", isAdmin: true })

  const ann = await app.user("ann@example.com")
  expect(await make("Ann@example.com")).toBe("taken")
  expect((await ann.get("/users/me")).body.data).toMatchObject({ isAdmin: false })
})

test("the counts of a day are taken once, and earlier days are not made up", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const days = async (query = "") =>
    (await admin.get<{ days: DailyCount[] }>(`/admin/daily-counts${query}`)).body.data.days
  expect(await days()).toEqual([])

  const dayMs = 24 * 3_600_000
  const now = Date.now()
  const countOn = async (daysAgo: number) => {
    vi.useFakeTimers({ now: now - daysAgo * dayMs, toFake: ["Date"] })
    await countToday(app.core)
    vi.useRealTimers()
  }
  await countOn(40)
  await countOn(2)
  const environment = await admin.environment()
  await admin.item(environment)
  // Two nodes, and once more on the same day.
  await Promise.all([countOn(0), countOn(0)])
  await admin.item(environment, "LATER")
  await countOn(0)

  const dayOf = (daysAgo: number) => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10)
  const counts = { productsCount: 0, usersCount: 1, subscriptionsCount: 0 }
  const empty = { ...counts, collectionsCount: 0, environmentsCount: 0, itemsCount: 0 }
  const today = { ...counts, collectionsCount: 1, environmentsCount: 1, itemsCount: 1 }
  expect(await days()).toEqual([
    { day: dayOf(2), ...empty },
    { day: dayOf(0), ...today },
  ])
  expect((await days("?days=90")).map(({ day }) => day)).toEqual([dayOf(40), dayOf(2), dayOf(0)])
  expect((await admin.get("/admin/daily-counts?days=31")).body.msg).toBe("Days must be 30, 90, 365")

  const file = await backupFile()
  await backUp(app.location, file)
  const other = await restored(app, file)
  expect(await other.db.selectFrom("daily_count").selectAll().orderBy("id").execute()).toEqual(
    await app.db.selectFrom("daily_count").selectAll().orderBy("id").execute(),
  )
})

test("sizes are counted into ranges, with ids and owners but no names", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user("ann@example.com")]
  const environment = await ann.environment("secret environment")
  await ann.post(
    `/subcollection/${environment.id}/bulk`,
    Array.from({ length: 11 }, (_, index) => ({ name: `SECRET_${index}`, value: "x".repeat(2_000) })),
  )
  const empty = await admin.collection("secret collection")
  await ann.delete(`/collection/${(await ann.collection("in the trash")).id}`)
  const sizes = async (kind: string) => {
    const { body, text } = await admin.get<Sizes>(`/admin/sizes?kind=${kind}`)
    expect(text).not.toMatch(/secret|trash/i)
    return body.data
  }
  const filled = ({ distributions }: Sizes) =>
    distributions.map(({ measure, ranges }) => [measure, ...ranges.filter(({ count }) => count > 0)])
  const bytes = 11 * 2_029
  const owner = { id: (await ann.get<User>("/users/me")).body.data.id, username: "someone" }

  const collections = await sizes("collections")
  expect(filled(collections)).toEqual([
    ["environments", { from: 0, to: 0, count: 1 }, { from: 1, to: 3, count: 1 }],
    ["bytes", { from: 0, to: 0, count: 1 }, { from: 10_001, to: 100_000, count: 1 }],
  ])
  expect(collections.largest).toEqual([{ id: environment.collectionId, owner, environments: 1, items: 11, bytes }])
  expect(collections.largest.map(({ id }) => id)).not.toContain(empty.id)

  const environments = await sizes("environments")
  expect(filled(environments)[0]).toEqual(["items", { from: 11, to: 100, count: 1 }])
  expect(environments.largest).toEqual([{ id: environment.id, owner, environments: null, items: 11, bytes }])

  expect(filled(await sizes("items"))[0]).toEqual([
    "items",
    { from: 0, to: 0, count: 1 },
    { from: 11, to: 100, count: 1 },
  ])
  await admin.post("/hrkljush/product/create", product)
  expect((await sizes("subscriptions")).products).toMatchObject([{ name: product.name, subscriptions: 0 }])
})
