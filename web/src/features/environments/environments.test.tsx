import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a copy leaves damaged items out, and is shown again if the target has changed in the meantime", async () => {
  const app = await testApp()
  const ann = await app.user()
  const source = await ann.environment("production")
  await ann.item(source, "GOOD", "fine-value")
  await ann.item(source, "BAD", "lost-value")
  const target = await ann.environment("staging", source.collectionId)
  await damageValue(app.db, "BAD")
  const { user, client } = open(`/collection/${source.collectionId}?env=${target.id}`, ann)
  await screen.findByText("No items yet. Start with a whole file or with one variable.")
  await user.click(await screen.findByRole("button", { name: "Copy from…" }))
  const dialog = within(await screen.findByRole("dialog", { name: "Copy items" }))
  dialog.getByText("1 item of the source is damaged and cannot be copied.")
  dialog.getByText("1 added")

  // What is still being loaded would already show the change.
  await waitFor(() => expect(client.isFetching()).toBe(0))
  await ann.item(target, "GOOD", "added-elsewhere")
  await user.click(dialog.getByRole("button", { name: "Copy 1 item" }))
  await screen.findByText("The environment has changed since you loaded it. Nothing was saved; check it and try again")
  await dialog.findByText("1 changed")

  await user.click(dialog.getByRole("button", { name: "Copy 1 item" }))
  await screen.findByText("Items copied successfully")
  expect((await ann.itemsOf(target)).map(({ name, value }) => [name, value])).toEqual([["GOOD", "fine-value"]])
  // The button that opened the dialog is gone.
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /^staging/ })))
})
