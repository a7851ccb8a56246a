import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"

test("confirming the text does not delete a damaged item", async () => {
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

async function rawDialogOf(values: Record<string, string>) {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  for (const [name, value] of Object.entries(values)) await ann.item(environment, name, value)
  const opened = open(`/collection/${environment.collectionId}`, ann)
  await opened.user.click(await screen.findByRole("button", { name: "Edit raw values" }))
  const dialog = within(await screen.findByRole("dialog"))
  return { ...opened, ann, environment, dialog, text: dialog.getByLabelText("Raw values") }
}

const names = (items: { name: string }[]) => items.map(({ name }) => name)

test("closing an edited text asks first, an unedited one just closes", async () => {
  const { user, dialog, text } = await rawDialogOf({ A: "1" })
  await user.type(text, "B=2")

  await user.keyboard("{Escape}")
  await user.click(await screen.findByRole("button", { name: "Keep editing" }))
  await waitFor(() => expect(screen.queryByText("Discard your changes?")).toBeNull())
  expect(text).toHaveProperty("value", "A=1\nB=2")

  await user.click(dialog.getByRole("button", { name: "Cancel" }))
  await user.click(await screen.findByRole("button", { name: "Discard" }))
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())

  await user.click(screen.getByRole("button", { name: "Edit raw values" }))
  expect(await screen.findByLabelText("Raw values")).toHaveProperty("value", "A=1\n")
  await user.keyboard("{Escape}")
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
})

test("confirming after a change elsewhere asks which state to keep", async () => {
  const { user, ann, environment, dialog, text } = await rawDialogOf({ A: "1" })
  await ann.item(environment, "ELSEWHERE", "x")
  await user.type(text, "B=2")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))

  await screen.findByText(
    /^This environment was changed after you opened it\. Added: ELSEWHERE\. Nothing has been saved/,
  )
  expect(names(await ann.itemsOf(environment))).toEqual(["A", "ELSEWHERE"])

  await user.click(screen.getByRole("button", { name: "Load the new state" }))
  await waitFor(() => expect(screen.getByLabelText("Raw values")).toHaveProperty("value", "A=1\nELSEWHERE=x\n"))
  await user.type(screen.getByLabelText("Raw values"), "C=3")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await screen.findByText("Bulk save successfull")
  expect(names(await ann.itemsOf(environment))).toEqual(["A", "ELSEWHERE", "C"])
})

test("saving anyway keeps the text and the items that do not fit into it", async () => {
  const { user, ann, environment, dialog, text } = await rawDialogOf({ A: "1" })
  await ann.item(environment, "ELSEWHERE", "x")
  await ann.item(environment, "CERT", "one\ntwo")
  await user.type(text, "B=2")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await user.click(await screen.findByRole("button", { name: "Save anyway" }))
  await screen.findByText("Bulk save successfull")
  expect(names(await ann.itemsOf(environment)).toSorted()).toEqual(["A", "B", "CERT"])
})

test("a pasted .env file gets a hint to use Import", async () => {
  const { user, text } = await rawDialogOf({ A: "1" })
  await user.type(text, "# a comment")
  await screen.findByText("Every line is taken literally")
})
