import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { fireEvent, screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"

async function environmentWith(values: Record<string, string>) {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  for (const [name, value] of Object.entries(values)) await ann.item(environment, name, value)
  const stored = async () => (await ann.itemsOf(environment)).map(({ name, value }) => `${name}=${value}`)
  const damage = (name: string) => damageValue(app.db, name)
  return { ann, environment, stored, damage, path: `/collection/${environment.collectionId}` }
}

type User = ReturnType<typeof open>["user"]

async function importDialog(user: User) {
  await user.click(await screen.findByRole("button", { name: "Import" }))
  const dialog = within(await screen.findByRole("dialog", { name: "Import into production" }))
  return {
    dialog,
    fill: (value: string) => fireEvent.change(dialog.getByLabelText("Text to import"), { target: { value } }),
    confirm: () => user.click(dialog.getByRole("button", { name: "Import" })),
  }
}

test("an import is one write with the whole list, and reloads the collection", async () => {
  const { ann, environment, stored, path } = await environmentWith({ A: "1", B: "2" })
  const { user, calls } = open(path, ann)
  const { dialog, fill, confirm } = await importDialog(user)
  fill("B=3\nC='4 $x'")
  await dialog.findByText("1 added, 1 changed, 0 unchanged")
  expect(dialog.queryByText("4 $x")).toBeNull()
  const before = calls.length

  await confirm()

  await screen.findByText("Bulk save successfull")
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
  expect(calls.slice(before)).toEqual([
    `GET /api${path}`,
    `POST /api/subcollection/${environment.id}/bulk?revision=3`,
    `GET /api${path}`,
  ])
  expect(await stored()).toEqual(["A=1", "B=3", "C=4 $x"])
})

test("a merge does not undo an item that was added in the meantime", async () => {
  const { ann, environment, stored, path } = await environmentWith({ A: "1" })
  const { user } = open(path, ann)
  const { dialog, fill, confirm } = await importDialog(user)
  fill("B=2")
  await dialog.findByText("1 added, 0 changed, 0 unchanged")
  await ann.item(environment, "ADDED_LATER", "kept")

  await confirm()
  await screen.findByText("The environment has changed. Nothing was saved; check the new preview first")
  expect(await stored()).toEqual(["A=1", "ADDED_LATER=kept"])

  await confirm()
  await screen.findByText("Bulk save successfull")
  expect(await stored()).toEqual(["A=1", "ADDED_LATER=kept", "B=2"])
})

test("a merge that would lose a damaged item is refused, until the text has a new value for it", async () => {
  const { ann, stored, damage, path } = await environmentWith({ GOOD: "fine", BAD: "lost" })
  await damage("BAD")
  const { user } = open(path, ann)
  const { dialog, fill, confirm } = await importDialog(user)
  fill("NEW=1")
  await dialog.findByText("Damaged items cannot be merged")
  await confirm()
  await screen.findByText("Give BAD a value or delete it first: it cannot be read")
  expect(await stored()).toEqual(["GOOD=fine", "BAD=null"])

  fill("NEW=1\nBAD=found")
  await dialog.findByText("1 added, 1 changed, 0 unchanged")
  await confirm()
  await screen.findByText("Bulk save successfull")
  expect(await stored()).toEqual(["GOOD=fine", "BAD=found", "NEW=1"])
})

test("an empty text is refused without a call", async () => {
  const { ann, stored, path } = await environmentWith({ A: "1" })
  const { user, calls } = open(path, ann)
  const { fill, confirm } = await importDialog(user)
  fill("# only a comment\n")
  const before = calls.length
  await confirm()
  await screen.findByText("No data found")
  expect(calls).toHaveLength(before)
  expect(await stored()).toEqual(["A=1"])
})
