import type { CreatedToken, Found } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const find = async (who: Person, text: string) => (await who.post<Found>("/find", { text })).body.data

const variables = async (who: Person, text: string) =>
  (await find(who, text)).variables.best.map(({ name, environmentName }) => `${name} in ${environmentName}`)

async function fill(who: Person, { id }: { id: number }, names: string[]): Promise<void> {
  await who.post(
    `/subcollection/${id}/bulk`,
    names.map((name) => ({ name, value: `the value of ${name}` })),
  )
}

async function member(app: TestApp, owner: Person, collectionId: number, role: string): Promise<Person> {
  const who = await app.user()
  await owner.post(`/collections/${collectionId}/members`, { who: who.email, role })
  return who
}

test("collections, environments and variables are found by any part of their names, in any case", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await ann.collection("Data pipeline")
  const production = await ann.environment("production", id)
  const database = await ann.environment("database tests", id)
  await fill(ann, production, ["DATABASE_URL", "PORT", "OLD_DATA"])
  await fill(ann, database, ["data"])

  const place = { collectionId: id, collectionName: "Data pipeline" }
  const inProduction = { environmentId: production.id, environmentName: "production", ...place }
  expect(await find(ann, "dAtA")).toEqual({
    collections: { total: 1, best: [{ id, name: "Data pipeline" }] },
    environments: { total: 1, best: [{ id: database.id, name: "database tests", ...place }] },
    variables: {
      total: 3,
      // Equal, then those that begin with it, then the others.
      best: [
        { name: "data", environmentId: database.id, environmentName: "database tests", ...place },
        { name: "DATABASE_URL", ...inProduction },
        { name: "OLD_DATA", ...inProduction },
      ],
    },
  })
})

test("case is ignored in every alphabet, and nothing in the text is a wildcard", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("Überprüfung")
  const names = ["ПрИвЕт_МИР", "GRÖSSE", "100%_OF", "A*B?[C]", "İSTANBUL_URL", "AFTER_İ", "ΟΔΟΣ", "back\\slash"]
  await fill(ann, environment, names)
  for (const [text, name] of [
    ["привет_м", "ПрИвЕт_МИР"],
    ["größ", undefined],
    ["grös", "GRÖSSE"],
    ["%_o", "100%_OF"],
    ["*b?[c", "A*B?[C]"],
    ["stanbul_url", "İSTANBUL_URL"],
    ["fter_", "AFTER_İ"],
    ["οδοσ", "ΟΔΟΣ"],
    ["ΔΟΣ", "ΟΔΟΣ"],
    ["K\\S", "back\\slash"],
    ["sse\n100", undefined],
  ] as const) {
    expect([text, await variables(ann, text)]).toEqual([text, name === undefined ? [] : [`${name} in Überprüfung`]])
  }
  expect((await find(ann, "ÜBERPRÜF")).environments.total).toBe(1)
})

testOnce("of many, the best are listed and the rest is counted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const names = Array.from({ length: 200 }, (_, n) => `NAME_${n}`)
  await fill(ann, environment, [...names, "X_NAME_1", "name_1"])
  const { total, best } = (await find(ann, "name_1")).variables
  expect(total).toBe(names.filter((name) => name.startsWith("NAME_1")).length + 2)
  expect(best).toHaveLength(20)
  expect(best.slice(0, 3).map(({ name }) => name)).toEqual(["NAME_1", "name_1", "NAME_10"])
})

testOnce("the search text must be there and can be as long as a name", async () => {
  const app = await testApp()
  const ann = await app.user()
  for (const body of [{}, { text: " " }]) {
    expect(await ann.post("/find", body)).toMatchObject({ status: 400, body: { msg: "Search text is required" } })
  }
  const long = await ann.post("/find", { text: "x".repeat(257) })
  expect(long).toMatchObject({ status: 400, body: { msg: "Search text can be at most 256 characters" } })
})

testOnce("everyone finds what they reach, from the moment they reach it, and no longer", async () => {
  const app = await testApp()
  const [ann, stranger] = [await app.user(), await app.user()]
  const environment = await ann.environment("production")
  await ann.item(environment, "DATABASE_URL", "the value of it")
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  const viewer = await member(app, ann, environment.collectionId, "viewer")
  const seen = ["DATABASE_URL in production"]
  expect(await variables(ann, "base")).toEqual(seen)
  expect(await variables(viewer, "base")).toEqual(seen)
  expect(await find(stranger, "a")).toEqual({
    collections: { total: 0, best: [] },
    environments: { total: 0, best: [] },
    variables: { total: 0, best: [] },
  })

  const settings = { name: "names only", scope: "names" }
  const { token } = (await ann.post<CreatedToken>("/users/me/tokens", settings)).body.data
  expect(await variables(person(app.app, ann.email, token), "base")).toEqual(seen)

  const { data } = (await viewer.get<{ id: number }>("/users/me")).body
  await ann.delete(`/collections/${environment.collectionId}/members/${data.id}`)
  expect(await variables(viewer, "base")).toEqual([])
})

test("a search sees every change at once, and nothing that is in the trash", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const item = await ann.item(environment, "FIRST", "a value")
  expect(await variables(ann, "s")).toEqual(["FIRST in production"])
  await ann.put(`/collectionItem/${item.id}`, { name: "SECOND", value: "a value" })
  expect(await variables(ann, "s")).toEqual(["SECOND in production"])
  await ann.item(environment, "SIXTH", "a value")
  expect(await variables(ann, "s")).toEqual(["SECOND in production", "SIXTH in production"])
  await ann.delete(`/collectionItem/${item.id}`)
  expect(await variables(ann, "s")).toEqual(["SIXTH in production"])
  await ann.put(`/subcollection/${environment.id}`, { name: "staging" })
  expect(await variables(ann, "s")).toEqual(["SIXTH in staging"])
  await ann.delete(`/subcollection/${environment.id}`)
  expect(await find(ann, "s")).toMatchObject({ environments: { total: 0 }, variables: { total: 0 } })
  await ann.post(`/trash/environments/${environment.id}/restore`)
  expect(await variables(ann, "s")).toEqual(["SIXTH in staging"])
  await ann.delete(`/collection/${environment.collectionId}`)
  expect(await find(ann, "app")).toMatchObject({ collections: { total: 0 }, environments: { total: 0 } })
})
