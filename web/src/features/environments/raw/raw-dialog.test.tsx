import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"

test("confirming the text does not delete a damaged item", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.item(environment, "GOOD", "fine")
  await ann.item(environment, "BAD", "lost")
  await damageValue(app.db, "BAD")
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

test("a text without a name says so under the field until it is edited", async () => {
  const { user, dialog, text } = await rawDialogOf({ A: "1" })
  await user.clear(text)
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await waitFor(() => expect(dialog.getByText("No data found")).toBeDefined())
  expect(screen.getByRole("alert").textContent).toBe("No data found")

  await user.type(text, "B")
  expect(dialog.queryByText("No data found")).toBeNull()
})

test("confirming after a change elsewhere asks which state to keep", async () => {
  const { user, ann, environment, dialog, text } = await rawDialogOf({ A: "1" })
  await ann.item(environment, "ELSEWHERE", "x")
  await user.type(text, "B=2")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))

  const changes = within(await screen.findByRole("list", { name: "Changes" }))
  const notice = "Changed by someone just now, after you opened it:"
  await waitFor(() => expect(document.body.textContent).toContain(notice))
  expect(changes.getAllByRole("listitem").map((row) => row.textContent)).toEqual([
    "ELSEWHERETheirsadded ••••••••Yoursnot there",
  ])
  expect(names(await ann.itemsOf(environment))).toEqual(["A", "ELSEWHERE"])

  await user.click(screen.getByRole("button", { name: "Take their changes" }))
  await waitFor(() => expect(screen.getByLabelText("Raw values")).toHaveProperty("value", "A=1\nB=2\nELSEWHERE=x\n"))
  await user.type(screen.getByLabelText("Raw values"), "C=3")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await screen.findByText("Bulk save successfull")
  expect(names(await ann.itemsOf(environment))).toEqual(["A", "ELSEWHERE", "B", "C"])
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

test("a pasted .env file is read as one in place, which can be undone", async () => {
  const { user, ann, environment, dialog, text } = await rawDialogOf({ A: '"literal"' })
  const pasted = '# a comment\nexport B="two words"\nCERT="one\ntwo"\n'
  await user.type(text, "{Control>}{End}{/Control}")
  await user.paste(pasted)
  await screen.findByText("Every line is taken literally")
  screen.getByText(/1 comment becomes a name, 1 name starts with “export”, and 1 value is split at its line breaks\.$/)

  await user.click(dialog.getByRole("button", { name: "Read as .env" }))
  expect(text).toHaveProperty("value", 'A="literal"\nB=two words\n')
  expect(screen.queryByText("Every line is taken literally")).toBeNull()
  await user.click(dialog.getByRole("button", { name: "Undo" }))
  expect(text).toHaveProperty("value", `A="literal"\n${pasted}`)

  await user.click(await dialog.findByRole("button", { name: "Read as .env" }))
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  await screen.findByText("Bulk save successfull")
  const stored = Object.fromEntries((await ann.itemsOf(environment)).map(({ name, value }) => [name, value]))
  expect(stored).toEqual({ A: '"literal"', B: "two words", CERT: "one\ntwo" })
})

test("a text that is no .env file stays as it is, and the lines at fault are named", async () => {
  const { user, dialog, text } = await rawDialogOf({ A: "1" })
  await user.type(text, "# a comment{Enter}no equals sign")
  await user.click(await dialog.findByRole("button", { name: "Read as .env" }))
  await dialog.findByText("Line 3: it is not a NAME=value line")
  expect(text).toHaveProperty("value", "A=1\n# a comment\nno equals sign")
})

test("a key without a name is not saved as names", async () => {
  const { user, ann, environment, dialog, text } = await rawDialogOf({ A: "1" })
  await user.type(text, "-----BEGIN KEY-----{Enter}TQ=={Enter}-----END KEY-----")
  await user.click(dialog.getByRole("button", { name: "Confirm" }))
  const sentence = 'Line 2: it is a key or certificate without a name: write it as NAME="…"'
  await waitFor(() => expect(dialog.getByText(sentence)).toBeDefined())
  expect(names(await ann.itemsOf(environment))).toEqual(["A"])
})
