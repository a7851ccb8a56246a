import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { screen, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"

async function exportAs(format: RegExp, values: Record<string, string>, damaged?: string) {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  for (const [name, value] of Object.entries(values)) await ann.item(environment, name, value)
  if (damaged !== undefined) {
    await damageValue(app.db, damaged)
  }
  const { user } = open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Export" }))
  await user.click(await screen.findByRole("menuitem", { name: format }))
  return { user, dialog: within(await screen.findByRole("dialog")) }
}

test("damaged items are listed as left out, and the others are exported", async () => {
  const { user, dialog } = await exportAs(/^JSON/, { GOOD: "fine", BAD: "lost" }, "BAD")
  expect(dialog.getByText("Damaged items are left out")).toBeDefined()
  expect(dialog.getByText("BAD")).toBeDefined()
  expect(dialog.getByLabelText("Preview")).toHaveProperty("value", '{"GOOD":"********"}')
  await user.click(dialog.getByRole("button", { name: "Show values" }))
  expect(dialog.getByLabelText("Preview")).toHaveProperty("value", '{"GOOD":"fine"}')
})

test("an environment without items has nothing to export", async () => {
  const { dialog } = await exportAs(/^YAML/, {})
  expect(dialog.getByText("There is nothing to export: this environment has no items with a value.")).toBeDefined()
  expect(dialog.queryByRole("button", { name: "Copy" })).toBeNull()
})

test("a variable that does not fit is listed with a reason, and another format is one click away", async () => {
  const { user, dialog } = await exportAs(/^Docker/, { KEY: "a\nb", PORT: "80" })
  expect(dialog.getByRole("listitem").textContent).toBe("KEY: its value has a line break")
  expect(dialog.queryByRole("button", { name: "Copy" })).toBeNull()
  await user.click(dialog.getByRole("button", { name: "Shell script" }))
  expect(dialog.getByRole("button", { name: "Download production.sh" })).toBeDefined()
})
