import { screen, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a damaged item is not deleted by confirming the others", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.item(environment, "GOOD", "fine")
  await ann.item(environment, "BAD", "lost")
  await app.db
    .updateTable("item")
    .set({ sealed_value: new Uint8Array(40) })
    .where("name", "=", "BAD")
    .execute()
  const { user } = open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Edit raw values" }))
  const dialog = within(await screen.findByRole("dialog"))
  const text = dialog.getByLabelText("Raw values")
  expect(text).toHaveProperty("value", "GOOD=fine\n")

  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await screen.findByText("Give BAD a value or delete it first: it cannot be read")
  expect(await ann.itemsOf(environment)).toHaveLength(2)

  await user.type(text, "BAD=found")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await screen.findByText("Bulk save successfull")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["fine", "found"])
})
