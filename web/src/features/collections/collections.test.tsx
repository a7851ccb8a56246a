import { screen } from "@testing-library/react"
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

test("creating a collection reloads the list and opens the new one", async () => {
  const app = await testApp()
  const { calls, path, user } = open("/collection/new", await app.user())
  await user.type(await screen.findByLabelText("Name"), "billing")
  await user.click(screen.getByRole("button", { name: "Create" }))
  await screen.findByText("Collection created")
  await screen.findByRole("heading", { name: "billing" })
  expect(path()).toMatch(/^\/collection\/\d+$/)
  expect(calls.slice(-3)).toEqual(["POST /api/collection", "GET /api/collection", `GET /api${path()}`])
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
  await screen.findByText("Name can be at most 100 characters")
  expect(screen.getByLabelText("Name")).toHaveProperty("value", "x".repeat(101))
})
