import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test, vi } from "vitest"
import { open, testApp } from "../../test/open.tsx"

async function environmentWith(values: Record<string, string>) {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  for (const [name, value] of Object.entries(values)) await ann.item(environment, name, value)
  return { app, ann, environment, path: `/collection/${environment.collectionId}` }
}

const row = (name: string) => within(screen.getByRole("listitem", { name }))

test("a damaged item is marked and can be saved with a new value; the others are not affected", async () => {
  const { app, ann, environment, path } = await environmentWith({ GOOD: "fine", BAD: "lost" })
  await damageValue(app.db, "BAD")
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))

  expect(row("GOOD").getByLabelText("Value")).toHaveProperty("value", "fine")
  const field = row("BAD").getByLabelText("Value")
  expect(field).toHaveProperty("placeholder", "Damaged: the stored value cannot be read. Type a new one")
  await user.type(field, "found again")
  await user.click(row("BAD").getByRole("button", { name: "Save" }))

  await screen.findByText("Item updated successfully")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["fine", "found again"])
})

test("an edited row is marked until it is saved, and saving reloads the collection", async () => {
  const { ann, path } = await environmentWith({ PORT: "8080" })
  const { user, calls } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Value"), "0")
  expect(screen.getByText("1 unsaved")).toBeDefined()

  await user.click(row("PORT").getByRole("button", { name: "Save" }))

  await screen.findByText("Item updated successfully")
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  expect(calls.slice(-2)).toEqual([expect.stringContaining("PUT /api/collectionItem/"), `GET /api${path}`])
})

test("what is wrong with an edit appears under its field until that is edited", async () => {
  const { ann, path } = await environmentWith({ PORT: "80", HOST: "localhost" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const name = row("PORT").getByLabelText("Name")
  await user.clear(name)
  await user.type(name, "HOST{Enter}")
  const sentence = "This environment already has an item with that name"
  await waitFor(() => expect(row("PORT").getByText(sentence)).toBeDefined())

  await user.type(name, "=")
  expect(row("PORT").queryByText(sentence)).toBeNull()
  await user.keyboard("{Enter}")
  await waitFor(() => expect(row("PORT").getByText("Name cannot contain an equals sign or a line break")).toBeDefined())
})

test("a value whose line breaks a field cannot hold is not changed with its name", async () => {
  const mixed = "one\r\ntwo\nthree\rfour"
  const { ann, environment, path } = await environmentWith({ ROW: mixed, ALL: mixed })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("ROW").getByLabelText("Name"), "_2{Enter}")
  await screen.findByText("Item updated successfully")
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  await user.type(row("ALL").getByLabelText("Name"), "_2")
  await user.keyboard("{Control>}s{/Control}")
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  expect((await ann.itemsOf(environment)).map(({ name, value }) => [name, value])).toEqual([
    ["ROW_2", mixed],
    ["ALL_2", mixed],
  ])
})

test("an edit of an item that was deleted elsewhere keeps its Windows line breaks", async () => {
  const { ann, environment, path } = await environmentWith({ KEY: "one\r\ntwo" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("KEY").getByLabelText("Value"), "{Shift>}{Enter}{/Shift}three")
  const [item] = await ann.itemsOf(environment)
  await ann.delete(`/collectionItem/${item?.id}`)
  await user.click(row("KEY").getByRole("button", { name: "Save" }))
  await user.click(await screen.findByRole("button", { name: "Keep mine" }))
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["one\r\ntwo\r\nthree"])
})

test("a new item needs a name and a value", async () => {
  const { ann, path } = await environmentWith({})
  const { user, calls } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const before = calls.length
  await user.type(screen.getByLabelText("Value"), "  {Enter}")
  // In the notification and under the name.
  await waitFor(() => expect(screen.getAllByText("Please fill all fields")).toHaveLength(2))
  expect(calls).toHaveLength(before)
})

test("a blank name gets no hint about shells, only the message that it is needed", async () => {
  const { ann, path } = await environmentWith({ PORT: "80" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const name = row("PORT").getByLabelText("Name")
  await user.type(name, "-")
  expect(row("PORT").getByText(/^Shells cannot export/)).toBeDefined()
  await user.clear(name)
  await user.type(name, "  {Enter}")
  await waitFor(() => expect(row("PORT").getByText("Name is required")).toBeDefined())
  expect(row("PORT").queryByText(/^Shells cannot export/)).toBeNull()
})

test("an unsaved row stays in a filtered list, and counts only if the name in its field matches", async () => {
  const { ann, path } = await environmentWith({ PORT: "80", HOST: "localhost" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Name"), "_OLD")
  await user.type(screen.getByLabelText("Filter items"), "nothing")
  expect(screen.getByText("0 of 2")).toBeDefined()
  expect(screen.getByText("No item has a name with this text.")).toBeDefined()
  expect(row("PORT").getByLabelText("Name")).toHaveProperty("value", "PORT_OLD")

  await user.click(screen.getByRole("button", { name: "Clear filter" }))
  await user.keyboard("_old")
  expect(screen.getByText("1 of 2")).toBeDefined()
  expect(screen.queryByText("No item has a name with this text.")).toBeNull()
})

test("text typed while a row is being saved stays as an unsaved edit", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "80" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const field = row("PORT").getByLabelText("Value")
  await user.type(field, "8{Enter}")
  await user.type(field, "0")
  await screen.findByText("Item updated successfully")

  await waitFor(() => expect(row("PORT").getByRole("button", { name: "Save" })).toHaveProperty("disabled", false))
  expect(field).toHaveProperty("value", "8080")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["808"])
})

test("a value made of spaces does not look empty where it is shown, and says nothing while it is masked", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "8080" })
  await ann.put(`/environments/${environment.id}/items`, [{ name: "SEPARATOR", value: "   " }])
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  expect(row("SEPARATOR").queryByText("3 spaces")).toBeNull()
  await user.click(row("SEPARATOR").getByRole("button", { name: "Show value" }))
  expect(row("SEPARATOR").getByText("3 spaces")).toBeDefined()
  await user.type(row("SEPARATOR").getByLabelText("Value"), "x")
  expect(row("SEPARATOR").queryByText(/space/)).toBeNull()
})

test("one edited row that is saved with Ctrl+S is called one item", async () => {
  const { ann, path } = await environmentWith({ PORT: "8080" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Value"), "0")
  await user.keyboard("{Control>}s{/Control}")
  await screen.findByText("Item updated successfully")
  await user.type(within(screen.getByRole("form", { name: "Add item" })).getByLabelText("Name"), "HOST")
  await user.type(within(screen.getByRole("form", { name: "Add item" })).getByLabelText("Value"), "localhost")
  await user.keyboard("{Control>}s{/Control}")
  await screen.findByText("Item created successfully")
})

test("all edited rows of an environment are saved by one call, with Ctrl+S and with a button", async () => {
  const { ann, environment, path } = await environmentWith({ ONE: "first", TWO: "second", THREE: "third" })
  const { user, calls } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const writes = () => calls.filter((call) => !call.startsWith("GET"))
  await user.type(row("ONE").getByLabelText("Value"), "!")
  expect(screen.queryByRole("button", { name: "Save all" })).toBeNull()
  await user.clear(row("TWO").getByLabelText("Name"))
  await user.type(row("TWO").getByLabelText("Name"), "RENAMED")
  const add = within(screen.getByRole("form", { name: "Add item" }))
  await user.type(add.getByLabelText("Name"), "FOUR")
  await user.type(add.getByLabelText("Value"), "fourth")

  await user.keyboard("{Control>}s{/Control}")
  await screen.findByText("Items saved successfully")
  await waitFor(() => expect(screen.queryByText(/unsaved$/)).toBeNull())
  expect(writes()).toEqual([`PUT /api/environments/${environment.id}/items`])
  expect(add.getByLabelText("Name")).toHaveProperty("value", "")
  const values = async () => (await ann.itemsOf(environment)).map(({ name, value }) => `${name}=${value}`)
  expect(await values()).toEqual(["ONE=first!", "RENAMED=second", "THREE=third", "FOUR=fourth"])

  await user.type(row("ONE").getByLabelText("Value"), "!")
  await user.clear(row("THREE").getByLabelText("Name"))
  await user.click(screen.getByRole("button", { name: "Save all" }))
  await screen.findByText("Item 2: Name is required")
  expect(screen.getByText("2 unsaved")).toBeDefined()
  await user.type(row("THREE").getByLabelText("Name"), "THIRD")
  await user.click(screen.getByRole("button", { name: "Save all" }))
  await waitFor(() => expect(screen.queryByText("2 unsaved")).toBeNull())
  expect(await values()).toEqual(["ONE=first!!", "RENAMED=second", "THIRD=third", "FOUR=fourth"])
})

test("after a deletion the focus is on the next row's Delete button, never in a value", async () => {
  const { ann, path } = await environmentWith({ ONE: "first", TWO: "second" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.click(row("ONE").getByRole("button", { name: "Delete" }))
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }))
  await waitFor(() => expect(screen.queryByRole("listitem", { name: "ONE" })).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(row("TWO").getByRole("button", { name: "Delete" })))
})

/** From now on reads fail, while writes still work. */
function failReloads() {
  const send = globalThis.fetch
  vi.stubGlobal("fetch", (url: string, init: RequestInit) =>
    init.method === "GET" ? Promise.reject(new Error("offline")) : send(url, init),
  )
}

test("a confirmed change is shown even if the reload after it fails", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "80", OLD: "x" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  failReloads()

  await user.type(row("PORT").getByLabelText("Value"), "80{Enter}")
  await screen.findByText("Item updated successfully")
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  expect(row("PORT").getByLabelText("Value")).toHaveProperty("value", "8080")

  const add = within(screen.getByRole("form", { name: "Add item" }))
  await user.type(add.getByLabelText("Name"), "HOST")
  await user.type(add.getByLabelText("Value"), "localhost{Enter}")
  await screen.findByText("Item created successfully")
  await waitFor(() => expect(row("HOST").getByLabelText("Value")).toHaveProperty("value", "localhost"))

  await user.click(row("OLD").getByRole("button", { name: "Delete" }))
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }))
  await screen.findByText("Item deleted successfully")
  await waitFor(() => expect(screen.queryByRole("listitem", { name: "OLD" })).toBeNull())
  expect((await ann.itemsOf(environment)).map(({ name, value }) => [name, value])).toEqual([
    ["PORT", "8080"],
    ["HOST", "localhost"],
  ])
})

test("Enter in an unedited field sends nothing", async () => {
  const { ann, path } = await environmentWith({ PORT: "80" })
  const { user, calls } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const puts = () => calls.filter((call) => call.startsWith("PUT")).length

  await user.type(row("PORT").getByLabelText("Value"), "{Enter}")
  expect(puts()).toBe(0)
  await user.type(row("PORT").getByLabelText("Value"), "8{Enter}{Enter}")
  await screen.findByText("Item updated successfully")
  await waitFor(() => expect(screen.queryByText("1 unsaved")).toBeNull())
  await user.type(row("PORT").getByLabelText("Value"), "{Enter}")
  expect(puts()).toBe(1)
})

test("a half-typed new item counts as unsaved", async () => {
  const { ann, path } = await environmentWith({})
  const { user, path: where } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(screen.getByLabelText("Value"), "half")

  await user.click(screen.getByRole("link", { name: "Dashboard" }))

  await screen.findByText("Leave without saving?")
  expect(where()).toBe(path)
})

test("a question about an edit that is being saved goes once it is saved, and the page is left", async () => {
  const { ann, path } = await environmentWith({ PORT: "80" })
  const { user, path: where } = open(path, ann)
  const [send, saved] = [fetch, Promise.withResolvers<void>()]
  vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
    if (init.method === "PUT") await saved.promise
    return send(url, init)
  })
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Value"), "8{Enter}")
  await user.click(screen.getByRole("link", { name: "Dashboard" }))
  await screen.findByText("Leave without saving?")
  expect(where()).toBe(path)

  saved.resolve()
  await waitFor(() => expect(where()).toBe("/collection/dashboard"))
  await waitFor(() => expect(screen.queryByText("Leave without saving?")).toBeNull())
})

const undo = (sentence: string) => {
  const alert = screen.getAllByRole("alert").find((one) => one.textContent?.startsWith(sentence))
  return within(alert as HTMLElement).getByRole("button", { name: "Undo" })
}

test("a saved row is taken back, whatever others have saved since, and said by name", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "80", TOKEN: "secret-of-old" })
  await ann.put(`/collections/${environment.collectionId}/names`, { name: "PORT", isSecret: false })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Value"), "80{Enter}")
  await screen.findByText("Item updated successfully")
  await ann.item(environment, "OTHER", "of a colleague")
  await user.click(undo("Item updated successfully"))
  await screen.findByText("PORT is 80 again")

  await user.type(row("TOKEN").getByLabelText("Value"), "-new")
  await user.click(row("TOKEN").getByRole("button", { name: "Save" }))
  await screen.findByText("Item updated successfully")
  await user.click(undo("Item updated successfully"))
  await screen.findByText("TOKEN is as it was")
  expect((await ann.itemsOf(environment)).map(({ name, value }) => [name, value])).toEqual([
    ["PORT", "80"],
    ["TOKEN", "secret-of-old"],
    ["OTHER", "of a colleague"],
  ])
})

test("an added item, and rows that are saved together, are taken back", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "80" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  const values = async () => (await ann.itemsOf(environment)).map(({ name, value }) => `${name}=${value}`)
  const add = within(screen.getByRole("form", { name: "Add item" }))
  const type = async (name: string) => {
    await user.type(add.getByLabelText("Name"), name)
    await user.type(add.getByLabelText("Value"), "localhost")
  }
  await type("HOST")
  await user.keyboard("{Enter}")
  await screen.findByText("Item created successfully")
  await user.click(undo("Item created successfully"))
  await screen.findByText("HOST is gone again")
  expect(await values()).toEqual(["PORT=80"])

  await type("HOST")
  await user.type(row("PORT").getByLabelText("Value"), "80")
  await user.keyboard("{Control>}s{/Control}")
  await screen.findByText("Items saved successfully")
  expect(await values()).toEqual(["PORT=8080", "HOST=localhost"])
  await user.click(undo("Items saved successfully"))
  await screen.findByText("HOST and PORT are as they were")
  expect(await values()).toEqual(["PORT=80"])
})

test("a save that changed nothing, or that replaced a damaged value, cannot be taken back", async () => {
  const { app, ann, environment, path } = await environmentWith({ PORT: "80", BAD: "lost" })
  await damageValue(app.db, "BAD")
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("BAD").getByLabelText("Value"), "found again{Enter}")
  await screen.findByText("Item updated successfully")
  expect(screen.queryByRole("button", { name: "Undo" })).toBeNull()
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["80", "found again"])
})

test("Ctrl+Z takes back the last save, but in a field first what was typed there", async () => {
  const { ann, environment, path } = await environmentWith({ PORT: "80" })
  const { user } = open(path, ann)
  await user.click(await screen.findByRole("button", { name: /^production/ }))
  await user.type(row("PORT").getByLabelText("Value"), "80{Enter}")
  await screen.findByText("Item updated successfully")
  const typed = vi.fn(() => true)
  document.queryCommandEnabled = typed
  await user.keyboard("{Control>}z{/Control}")
  expect(screen.getByText("Item updated successfully")).toBeDefined()
  typed.mockReturnValue(false)
  await user.keyboard("{Control>}z{/Control}")
  await screen.findByText("PORT is as it was")

  // The browser takes back what is no longer in the field.
  await user.type(row("PORT").getByLabelText("Value"), "90{Enter}")
  await screen.findByText("Item updated successfully")
  typed.mockReturnValue(true)
  await user.keyboard("{Control>}z{/Control}")
  const field = row("PORT").getByLabelText("Value")
  field.dispatchEvent(new InputEvent("input", { inputType: "historyUndo", bubbles: true }))
  await screen.findByText("PORT is as it was")
  expect((await ann.itemsOf(environment)).map(({ value }) => value)).toEqual(["80"])
})
