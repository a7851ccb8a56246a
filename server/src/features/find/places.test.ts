import type { Found } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

type More = { collectionId?: number; grouped?: boolean; name?: string; after?: string }

const find = async (who: Person, text: string, more: More = {}) =>
  (await who.post<Found>("/find", { text, ...more })).body.data

async function fill(who: Person, { id }: { id: number }, names: string[]): Promise<void> {
  await who.post(
    `/subcollection/${id}/bulk`,
    names.map((name) => ({ name, value: `the value of ${name}` })),
  )
}

/** Two collections, each with the same environments and the same names in both. */
async function twoApps(who: Person) {
  const shop = await who.collection("storefront")
  const billing = await who.collection("Billing")
  for (const { id } of [shop, billing]) {
    for (const name of ["staging", "production"]) {
      await fill(who, await who.environment(name, id), ["STRIPE_KEY", "REDIS_URL"])
    }
  }
  return { shop, billing }
}

const places = ({ variables }: Found) =>
  variables.best.map((one) => `${one.name} in ${one.collectionName} / ${one.environmentName}`)

test("words are matched across the names of collection, environment and variable", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { billing } = await twoApps(ann)
  await fill(ann, await ann.environment("key rotation", billing.id), ["OLD_STRIPE", "stripe key"])

  const stripe = ["STRIPE_KEY in Billing / staging", "STRIPE_KEY in Billing / production"]
  expect(places(await find(ann, "bill strIPE_"))).toEqual(stripe)
  expect(places(await find(ann, "stripe_  bill"))).toEqual(stripe)
  expect(places(await find(ann, "billing / prod stripe_key"))).toEqual([stripe[1]])
  // The text itself, then its words in another order, then those that only the place has.
  expect(places(await find(ann, "stripe key", { collectionId: billing.id })).slice(0, 4)).toEqual([
    "stripe key in Billing / key rotation",
    ...stripe,
    "OLD_STRIPE in Billing / key rotation",
  ])
  const { environments, collections } = await find(ann, "bill prod")
  expect(environments.best).toMatchObject([{ name: "production", collectionName: "Billing" }])
  expect(collections.total).toBe(0)
  // The name of a place finds the place, and not all that is in it.
  expect(await find(ann, "bill")).toMatchObject({ collections: { total: 1 }, environments: { total: 0 } })
  expect((await find(ann, "billing production")).variables.total).toBe(0)
})

testOnce(
  "what is in the collection that the caller names comes first, and a collection out of reach changes nothing",
  async () => {
    const app = await testApp()
    const [ann, bob] = [await app.user(), await app.user()]
    const { shop, billing } = await twoApps(ann)
    await fill(ann, await ann.environment("preview", billing.id), ["MY_REDIS_URL"])
    const elsewhere = await bob.environment("production")
    await fill(bob, elsewhere, ["REDIS_URL"])

    const inShop = ["REDIS_URL in storefront / staging", "REDIS_URL in storefront / production"]
    const inBilling = ["REDIS_URL in Billing / staging", "REDIS_URL in Billing / production"]
    const part = "MY_REDIS_URL in Billing / preview"
    expect(places(await find(ann, "redis_url"))).toEqual([...inShop, ...inBilling, part])
    expect(places(await find(ann, "redis_url", { collectionId: billing.id }))).toEqual([...inBilling, part, ...inShop])
    expect(places(await find(ann, "redis_url", { collectionId: shop.id }))).toEqual([...inShop, ...inBilling, part])
    const first = (await find(ann, "st", { collectionId: billing.id })).environments.best[0]
    expect(first).toMatchObject({ name: "staging", collectionName: "Billing" })
    for (const collectionId of [elsewhere.collectionId, 987_654_321]) {
      expect(await find(ann, "redis_url", { collectionId })).toEqual(await find(ann, "redis_url"))
    }
  },
)

test("a name is listed once with the count of its places, and these can be listed", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { billing } = await twoApps(ann)
  await fill(ann, await ann.environment("preview", billing.id), ["redis_url", "REDIS_URL"])
  await fill(bob, await bob.environment("production"), ["REDIS_URL"])

  const grouped = { grouped: true, collectionId: billing.id }
  const { variables } = await find(ann, "redis", grouped)
  expect(variables.total).toBe(6)
  expect(variables.best.map(({ name, places, collectionName }) => [name, places, collectionName])).toEqual([
    ["REDIS_URL", 5, "Billing"],
    ["redis_url", 1, "Billing"],
  ])
  expect((await find(ann, "bill redis", grouped)).variables.best[0]).toMatchObject({ name: "REDIS_URL", places: 3 })

  const ofName = await find(ann, "redis", { ...grouped, grouped: false, name: "REDIS_URL" })
  expect(places(ofName)).toEqual([
    "REDIS_URL in Billing / staging",
    "REDIS_URL in Billing / production",
    "REDIS_URL in Billing / preview",
    "REDIS_URL in storefront / staging",
    "REDIS_URL in storefront / production",
  ])
  expect(ofName).toMatchObject({ collections: { total: 0 }, environments: { total: 0 }, variables: { total: 5 } })
})

/** All pages of the variables. */
async function pages(who: Person, text: string, more: More): Promise<Found["variables"][]> {
  const all = [(await find(who, text, more)).variables]
  for (let after = all[0]?.next; after !== undefined; after = all.at(-1)?.next) {
    const found = await find(who, text, { ...more, after })
    expect(found).toMatchObject({ collections: { best: [] }, environments: { best: [] } })
    all.push(found.variables)
  }
  return all
}

test("every result is reached, once and in order", async () => {
  const app = await testApp()
  const ann = await app.user()
  const [one, other] = [await ann.environment("one"), await ann.environment("other")]
  const names = Array.from({ length: 150 }, (_, n) => `NAME_${String(n).padStart(3, "0")}`)
  await fill(ann, one, names)
  await fill(ann, other, [...names.slice(100), "name_120", "OTHER_NAME_1"])

  const each = await pages(ann, "name_", { collectionId: other.collectionId })
  expect(each.map(({ best, total }) => [best.length, total])).toEqual([
    [20, 202],
    [100, 202],
    [82, 202],
  ])
  const rows = each.flatMap(({ best }) => best)
  expect(new Set(rows.map(({ name, environmentId }) => `${environmentId} ${name}`)).size).toBe(202)
  expect(rows.slice(0, 52).every(({ environmentId }) => environmentId === other.id)).toBe(true)
  expect(rows.slice(52).map(({ name }) => name)).toEqual(names)

  // A name that was listed with its place in the first collection is not listed again with one elsewhere.
  const grouped = await pages(ann, "name_", { grouped: true, collectionId: other.collectionId })
  expect(grouped.map(({ best }) => best.length)).toEqual([20, 100, 32])
  const listed = grouped.flatMap(({ best }) => best)
  expect(listed.map(({ name }) => name)).toEqual([
    ...names.slice(100, 121),
    "name_120",
    ...names.slice(121),
    "OTHER_NAME_1",
    ...names.slice(0, 100),
  ])
  expect(listed.filter(({ places }) => places === 2)).toHaveLength(50)

  const ofOneName = await pages(ann, "name_", { name: "NAME_120" })
  expect(ofOneName.map(({ best }) => best.length)).toEqual([2])
})

testOnce("a list is continued only after what the server said is next", async () => {
  const app = await testApp()
  const ann = await app.user()
  for (const after of ["x", "[]", '["values",true,0,"a",1,1,"A"]', '["variables",true,9,"a",1,1,"A"]', "{}"]) {
    const refused = { status: 400, body: { msg: "After must be the next of an earlier answer" } }
    expect(await ann.post("/find", { text: "a", after })).toMatchObject(refused)
  }
})
