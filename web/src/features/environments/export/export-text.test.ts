import { expect, test } from "vitest"
import { exported, fileName } from "./export-text.ts"

test.each([
  ["production", "production.env"],
  ["Prod / EU", "Prod-EU.env"],
  ["../../etc", "etc.env"],
  ["größe", "größe.env"],
  ["//", "environment.env"],
])("the environment %j is downloaded as %s", (name, file) => {
  expect(fileName(name, "dotenv")).toBe(file)
})

test("a masked Secret shows its stars, not their base64", () => {
  const { printed } = exported("k8s", [{ id: 1, name: "A", value: "secret", subCollectionId: 1, revision: 1 }])
  expect(printed).toMatchObject({ masked: expect.stringContaining('"A": "********"') })
})
