import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a copy leaves damaged items out, and overwrites nothing that was added in the meantime", async () => {
  const app = await testApp()
  const ann = await app.user()
  const source = await ann.environment("production")
  await ann.item(source, "GOOD", "fine-value")
  await ann.item(source, "BAD", "lost-value")
  const target = await ann.environment("staging", source.collectionId)
  await app.db
    .updateTable("item")
    .set({ sealed_value: new Uint8Array(40) })
    .where("name", "=", "BAD")
    .execute()
  const { user } = open(`/collection/${source.collectionId}?env=${target.id}`, ann)
  const copy = async () => {
    await user.click(await screen.findByRole("button", { name: "Copy from…" }))
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: /^production/ }))
  }
  await screen.findByText("No items yet. Start with a whole file or with one variable.")
  await ann.item(target, "EARLIER", "added-elsewhere")
  await copy()
  await screen.findByText("The environment has changed since you loaded it. Nothing was saved; check it and try again")
  const earlier = await screen.findByRole("listitem", { name: "EARLIER" })

  await user.click(within(earlier).getByRole("button", { name: "Delete" }))
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }))
  await copy()
  await screen.findByText("Bulk save successfull")
  expect((await ann.itemsOf(target)).map(({ name, value }) => [name, value])).toEqual([["GOOD", "fine-value"]])
  // The button that opened the dialog is gone.
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("button", { name: /^staging/ })))
})
