import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"
import { prepared } from "./prepared.ts"
import type { Reader } from "./schema.ts"

test("a prepared query is built once for each variant, and every call fills in its own parameters", async () => {
  const { db, user } = await testApp()
  const [ann, bob] = [await user(), await user()]
  const built: string[] = []
  const usersWith = prepared((on: Reader, { id }: { id: number }, how: "=" | "!=") => {
    built.push(how)
    return on.selectFrom("user").select(["id"]).where("id", how, id).orderBy("id")
  })
  const [one, other] = await db.selectFrom("user").select("id").orderBy("id").execute()
  expect([ann, bob]).toHaveLength(2)
  for (const { id } of [one, other, one].flatMap((row) => row ?? [])) {
    expect(await usersWith(db, { id }, "=")).toEqual([{ id }])
  }
  expect(await usersWith(db, { id: one?.id ?? 0 }, "!=")).toEqual([{ id: other?.id }])
  expect(built).toEqual(["=", "!="])
})
