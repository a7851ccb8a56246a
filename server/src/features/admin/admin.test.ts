import { productCategories, productTypes } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { admin } from "@envkeep/testing/commands.ts"
import { expect, test } from "vitest"
import { createAdminUnlessTaken } from "../users/rules.ts"

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

test("a product of every type and category can be created and is listed", async () => {
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

test.each([
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
})

test("the admin command explains what is wrong", async () => {
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
