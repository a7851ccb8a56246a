import { screen, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a damaged key cannot be copied, but can be deleted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.apiKey(environment, "web-1")
  await app.db
    .updateTable("api_key")
    .set({ sealed_key: new Uint8Array(40) })
    .execute()
  const { user } = open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Manage API keys" }))
  const row = within(await screen.findByRole("listitem", { name: "web-1" }))
  expect(row.getByText("Works, but can no longer be shown")).toBeDefined()
  expect(row.getByRole("button", { name: "Copy" })).toHaveProperty("disabled", true)

  await user.click(row.getByRole("button", { name: "Delete" }))
  const question = within(await screen.findByRole("dialog", { name: "Delete this API key?" }))
  await user.click(question.getByRole("button", { name: "Delete" }))
  await screen.findByText("API Key deleted successfully")
  await screen.findByText("No API Keys")
})
