import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

async function environmentWith(values: string[]) {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const item = await ann.item(environment, "TOKEN", values[0])
  for (const value of values.slice(1)) await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value })
  const path = `/collection/${environment.collectionId}`
  return { app, ann, environment, item, path, history: `${path}/history/${environment.id}` }
}

const revision = (number: number) => within(screen.getByRole("listitem", { name: `Revision ${number}` }))

test("a revision that was changed since its preview is not restored, and the new preview is shown", async () => {
  const { ann, environment, item, history } = await environmentWith(["first-value", "second-value"])
  const { user } = open(history, ann)
  await user.click(await screen.findByRole("button", { name: /Revision 2/ }))
  await user.click(await screen.findByRole("button", { name: "Restore…" }))
  const dialog = within(await screen.findByRole("dialog"))
  await dialog.findByText("1 changed")
  await ann.put(`/collectionItem/${item.id}`, { name: "KEY", value: "third-value" })

  await user.click(dialog.getByRole("button", { name: "Restore" }))
  await screen.findByText("The environment has changed since. Nothing was restored; check its history first")
  await dialog.findByText("1 added, 1 removed")
  await user.type(dialog.getByLabelText("Note"), "back again")
  await user.click(dialog.getByRole("button", { name: "Restore" }))

  await screen.findByText("Environment restored successfully")
  expect((await ann.itemsOf(environment)).map(({ name, value }) => [name, value])).toEqual([["TOKEN", "first-value"]])
  await waitFor(() => expect(revision(5).getByText("back again")).toBeDefined())
})

test("past values are masked, and their text is not even on the page until they are shown", async () => {
  const { ann, history } = await environmentWith(["first-value", "second-value"])
  const { user } = open(history, ann)
  await user.click(await screen.findByRole("button", { name: /Revision 3/ }))
  await screen.findByText("1 changed")
  expect(document.body.textContent).not.toContain("-value")
  await user.click(screen.getByRole("button", { name: "Show the values of TOKEN" }))
  expect([screen.getByText("first-value"), screen.getByText("second-value")]).toHaveLength(2)
})

test("a damaged or erased value says so, and a revision with one cannot be restored", async () => {
  const { app, ann, environment, history } = await environmentWith(["first-value", "second-value", "third-value"])
  await ann.post(`/environments/${environment.id}/erase`, { name: "TOKEN", revision: 2 })
  await app.db
    .updateTable("item_version")
    .set({ sealed_value: Buffer.from("damaged") })
    .where("revision", "=", 3)
    .execute()
  const { user } = open(history, ann)
  await user.click(await screen.findByRole("button", { name: /Revision 3/ }))
  await screen.findByText(/^Erased for good by /)
  expect(screen.getByText("Damaged: it cannot be read")).toBeDefined()

  await user.click(screen.getByRole("button", { name: "Restore…" }))
  const dialog = within(await screen.findByRole("dialog"))
  await dialog.findByText("This cannot be restored as a whole")
  expect(dialog.getByRole("button", { name: "Restore" })).toHaveProperty("disabled", true)
})

test("an undo after which something was changed is refused, and so is one whose name is in use again", async () => {
  const { ann, environment, item, path } = await environmentWith(["first-value"])
  const { user } = open(`${path}?env=${environment.id}`, ann)
  const field = await screen.findByLabelText("Value", { selector: "li *" })
  await user.type(field, "-x")
  await user.keyboard("{Control>}s{/Control}")
  await screen.findByText("Item updated successfully")
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "of a colleague" })
  await user.click(screen.getByRole("button", { name: "Undo" }))
  await screen.findByText(
    "This item has changed since you loaded it. Nothing was saved; compare both values and try again",
  )
  // What the colleague saved is loaded, so the row is current again.
  await user.click(field)
  await screen.findByDisplayValue("of a colleague")

  await user.click(screen.getByRole("button", { name: "Delete" }))
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }))
  await screen.findByText("Item deleted successfully")
  await ann.item(environment, "TOKEN", "added again")
  await user.click(screen.getByRole("button", { name: "Undo" }))
  await screen.findByText("An item with this name was added again. Nothing was changed")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["added again"])
})

test("a row that comes back stands where it stood", async () => {
  const { ann, environment, path } = await environmentWith(["first-value"])
  await ann.item(environment, "ANOTHER", "below it")
  const { user } = open(`${path}?env=${environment.id}`, ann)
  const names = () => screen.getAllByLabelText("Name", { selector: "li *" }).map((field) => field.getAttribute("value"))
  const row = within(await screen.findByRole("listitem", { name: "TOKEN" }))
  await user.click(row.getByRole("button", { name: "Delete" }))
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }))
  await screen.findByText("Item deleted successfully")
  await user.click(screen.getByRole("button", { name: "Undo" }))
  await screen.findByText("TOKEN is back")
  await waitFor(() => expect(names()).toEqual(["TOKEN", "ANOTHER"]))
})

test("a link to a revision that is not kept, or to an environment that is gone, says so", async () => {
  const { ann, environment, history } = await environmentWith(["first-value"])
  const { client } = open(`${history}?compare=1-99`, ann)
  await screen.findByText("These cannot be compared")
  expect(screen.getAllByText("Revision not found")).not.toHaveLength(0)
  await ann.delete(`/subcollection/${environment.id}`)
  await client.invalidateQueries({ queryKey: ["collection", environment.collectionId] })
  await screen.findByText("This environment is not available")
})

test("the history of a renamed item leads to the values under its earlier name", async () => {
  const { ann, environment, item, path } = await environmentWith(["first-value"])
  await ann.put(`/collectionItem/${item.id}`, { name: "KEY", value: "first-value" })
  const { user } = open(`${path}?env=${environment.id}`, ann)
  await user.click(
    within(await screen.findByRole("listitem", { name: "KEY" })).getByRole("button", { name: "History" }),
  )
  await user.click(await screen.findByRole("button", { name: "Earlier values" }))
  const dialog = within(await screen.findByRole("dialog", { name: "History of TOKEN" }))
  await waitFor(() => expect(dialog.getAllByRole("listitem")).toHaveLength(2))
})
