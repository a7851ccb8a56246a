import { cleanup, screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { unreachable } from "../../lib/api.ts"
import { keys } from "../../lib/state.ts"
import { open, testApp } from "../../test/open.tsx"

test("a fetched collection joins the cached list, and is replaced when it is fetched again", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await ann.collection("billing")
  const { client, user } = open(`/collection/${id}`, ann)
  await screen.findByRole("heading", { name: "billing" })
  expect(client.getQueryData(keys.collections)).toMatchObject([{ id, name: "billing" }])

  await user.click(screen.getByRole("button", { name: "Edit name" }))
  await user.clear(screen.getByLabelText("Name"))
  await user.type(screen.getByLabelText("Name"), "invoices{Enter}")

  await screen.findByText("Collection updated successfully")
  expect(client.getQueryData(keys.collections)).toMatchObject([{ id, name: "invoices" }])
})

test("the description is edited together with the name, in one call", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await ann.collection("billing")
  const { calls, user } = open(`/collection/${id}`, ann)
  await user.click(await screen.findByRole("button", { name: "Add a description" }))
  expect(document.activeElement).toBe(screen.getByLabelText("Description"))
  await user.type(screen.getByLabelText("Description"), "Sends{Enter}invoices.{Escape}")
  await user.clear(screen.getByLabelText("Name"))
  await user.type(screen.getByLabelText("Name"), "invoices")
  await user.click(screen.getByRole("button", { name: "Save" }))
  await screen.findByText("Collection updated successfully")
  await screen.findByText("Sends invoices.")
  await screen.findByRole("heading", { name: "invoices" })
  expect(calls.filter((call) => call.startsWith("PUT"))).toEqual([`PUT /api/collection/${id}`])

  await user.click(screen.getByRole("button", { name: "Edit description" }))
  await user.clear(screen.getByLabelText("Description"))
  await user.type(screen.getByLabelText("Description"), "d".repeat(10))
  await user.click(screen.getByRole("button", { name: "Cancel" }))
  await screen.findByText("Sends invoices.")
})

test("the question before deleting says what goes and whether a key is in use", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  await ann.item(environment, "A", "1")
  await ann.item(environment, "B", "2")
  await ann.apiKey(environment)
  const { user } = open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Delete collection" }))
  const details = () =>
    within(screen.getByRole("dialog"))
      .getAllByRole("listitem")
      .map(({ textContent }) => textContent)
  await waitFor(() => expect(details()).toEqual(["2 items", "1 API key, never used"]))
  await user.click(screen.getByRole("button", { name: "Cancel" }))
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())

  await app.db
    .updateTable("api_key")
    .set({ last_used_at: Date.now() - 2 * 86_400_000 })
    .execute()
  cleanup()
  open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Delete collection" }))
  await waitFor(() => expect(details()).toEqual(["2 items", "1 API key, last used 2 days ago"]))
})

test("creating a collection reloads the list and opens the new one", async () => {
  const app = await testApp()
  const { calls, path, user } = open("/collection/new", await app.user())
  await user.type(await screen.findByLabelText("Name"), "billing")
  await user.click(screen.getByRole("button", { name: "Create" }))
  await screen.findByText("Collection created")
  await screen.findByRole("heading", { name: "billing" })
  expect(path()).toMatch(/^\/collection\/\d+$/)
  const aboutCollections = calls.filter((call) => !call.endsWith("/trash"))
  expect(aboutCollections.slice(-3)).toEqual([
    "POST /api/collection",
    "GET /api/collection",
    `GET /api${path()}?tagged=true`,
  ])
})

test("a list that cannot be reloaded does not make a created collection look refused", async () => {
  const app = await testApp()
  const { calls, fail, path, user } = open("/collection/new", await app.user())
  await user.type(await screen.findByLabelText("Name"), "billing")
  fail("GET /api/collection")
  await user.click(screen.getByRole("button", { name: "Create" }))
  await screen.findByText("Collection created")
  await screen.findByText(unreachable)
  await screen.findByRole("heading", { name: "billing" })
  expect(path()).toMatch(/^\/collection\/\d+$/)
  expect(calls.filter((call) => call === "POST /api/collection")).toHaveLength(1)
})

test("the form keeps its text when the server refuses it", async () => {
  const app = await testApp()
  const { user } = open("/collection/new", await app.user())
  await user.type(await screen.findByLabelText("Name"), "x".repeat(101))
  await user.click(screen.getByRole("button", { name: "Create" }))
  expect(await screen.findAllByText("Name can be at most 100 characters")).toHaveLength(2)
  expect(screen.getByLabelText("Name")).toHaveProperty("value", "x".repeat(101))
})
