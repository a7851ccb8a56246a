import { limits } from "@envkeep/contract"
import { threeNodes } from "@envkeep/testing/cluster.ts"
import type { StoreLocation } from "@envkeep/testing/database.ts"
import pg from "pg"
import { expect, test } from "vitest"

const password = "correct horse battery staple"

test("sessions, limits on guessing and limits on size apply across three nodes as on one", async () => {
  const { visitor, location } = await threeNodes()
  const statusOnEachNode = async (client: ReturnType<typeof visitor>) =>
    (await Promise.all([0, 1, 2].map((node) => client.call(node, "GET", "/collection")))).map(({ status }) => status)

  const [laptop, phone] = [visitor(), visitor()]
  expect((await laptop.register(0, "ann@example.com", password)).status).toBe(201)
  expect((await laptop.login(1, "ann@example.com", password)).status).toBe(200)
  expect((await phone.login(2, "ann@example.com", password)).status).toBe(200)
  expect([await statusOnEachNode(laptop), await statusOnEachNode(phone)]).toEqual([
    Array(3).fill(200),
    Array(3).fill(200),
  ])

  const changed = { oldPassword: password, password: "another password", password2: "another password" }
  expect((await laptop.call(0, "PUT", "/users/password", changed)).status).toBe(200)
  expect([await statusOnEachNode(laptop), await statusOnEachNode(phone)]).toEqual([
    Array(3).fill(200),
    Array(3).fill(401),
  ])

  // An unknown browser guesses on all nodes at the same time.
  const guesses = Array.from({ length: 13 }, (_, node) => visitor().login(node, "ann@example.com", `guess ${node}`))
  const statuses = (await Promise.all(guesses)).map(({ status }) => status)
  expect(statuses.toSorted()).toEqual([...Array(10).fill(401), ...Array(3).fill(429)])
  for (const node of [0, 1, 2]) {
    expect((await visitor().login(node, "ann@example.com", "another password")).status).toBe(429)
  }

  const collection = await laptop.collection(0)
  const environment = await laptop.environment(1, collection.id)
  await setCounts(location, environment.id, { item_count: limits.itemsPerEnvironment - 4 })
  const oneMore = Array.from({ length: 12 }, (_, n) =>
    laptop.call(n, "POST", "/collectionItem", { name: `MORE${n}`, value: "v", subCollectionId: environment.id }),
  )
  expect(count(await Promise.all(oneMore))).toEqual({ 200: 4, 400: 8 })

  await setCounts(location, environment.id, { sealed_bytes: limits.collectionBytes - 100_000 })
  const otherEnvironments = await Promise.all(
    Array.from({ length: 6 }, (_, n) => laptop.environment(n, collection.id, `other ${n}`)),
  )
  const large = "x".repeat(60_000)
  const larger = otherEnvironments.map(({ id }, n) =>
    laptop.call(n, "POST", "/collectionItem", { name: "LARGE", value: large, subCollectionId: id }),
  )
  expect(count(await Promise.all(larger))).toEqual({ 200: 1, 400: 5 })

  expect((await laptop.call(2, "POST", "/users/logout")).status).toBe(200)
  expect(await statusOnEachNode(laptop)).toEqual(Array(3).fill(401))
})

function count(replies: { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Sets an environment's stored counts, since actually writing up to the limits would take long. */
async function setCounts({ databaseUrl }: StoreLocation, id: number, counts: Record<string, number>): Promise<void> {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  for (const [column, value] of Object.entries(counts)) {
    await client.query(`update environment set ${column} = $1 where id = $2`, [value, id])
  }
  await client.end()
}
