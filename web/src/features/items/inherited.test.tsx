import type { Environment } from "@envkeep/contract"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

const inStaging = () => within(screen.getByRole("region", { name: "staging" }))
const row = (name: string) => within(inStaging().getByRole("listitem", { name }))

async function withBase() {
  const app = await testApp()
  const ann = await app.user()
  const shared = await ann.environment("shared")
  await ann.item(shared, "PORT", "80")
  await ann.item(shared, "HOST", "localhost")
  const { collectionId } = shared
  const made = await ann.post<Environment>("/subcollection", { name: "staging", collectionId })
  const staging = made.body.data
  await ann.item(staging, "LEVEL", "debug")
  await ann.put(`/environments/${staging.id}/base`, { baseId: shared.id })
  return { app, ann, shared, staging, path: `/collection/${collectionId}?env=${staging.id}` }
}

test("an inherited value is overridden in its place, also by an empty one, and both are undone", async () => {
  const { ann, staging, path } = await withBase()
  const { user } = open(path, ann)
  await screen.findByText("1 set here, 2 inherited")
  const names = () =>
    inStaging()
      .getAllByRole("listitem")
      .map((one) => one.getAttribute("aria-label"))
  expect(names()).toEqual(["PORT", "HOST", "LEVEL"])
  await user.type(inStaging().getByLabelText("Filter items"), "o")
  expect(inStaging().getByText("2 of 3")).toBeDefined()
  await user.clear(inStaging().getByLabelText("Filter items"))

  await user.click(row("PORT").getByRole("button", { name: "Override" }))
  const value = row("PORT").getByLabelText("Value")
  expect([value, document.activeElement]).toEqual([document.activeElement, value])
  expect(value).toHaveProperty("value", "80")
  await user.clear(value)
  await user.keyboard("{Enter}")
  await screen.findByText("2 set here, 1 inherited")
  expect(names()).toEqual(["PORT", "HOST", "LEVEL"])
  expect((await ann.itemsOf(staging)).map(({ name, value }) => [name, value])).toEqual([
    ["LEVEL", "debug"],
    ["PORT", ""],
  ])

  await waitFor(() => expect(document.activeElement?.textContent).toBe("Use the inherited value"))
  await user.keyboard("{Enter}")
  await screen.findByText("1 set here, 2 inherited")
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Override"))
  const alert = screen.getAllByRole("alert").find((one) => one.textContent?.startsWith("Item deleted"))
  await user.click(within(alert as HTMLElement).getByRole("button", { name: "Undo" }))
  await screen.findByText("2 set here, 1 inherited")
})

test("an inherited value shows that it is empty, where its lines break, and all of it on request", async () => {
  const { ann, shared, path } = await withBase()
  await ann.post(`/subcollection/${shared.id}/bulk`, [
    { name: "BLANK", value: "" },
    { name: "LINES", value: "one\rtwo\r\nthree" },
    { name: "LONG", value: "x".repeat(2_000) },
  ])
  const { user } = open(path, ann)
  await screen.findByText("1 set here, 3 inherited")
  expect(row("BLANK").getByText("Empty")).toBeDefined()
  expect(row("LINES").getByText("Masked value")).toBeDefined()

  await user.click(inStaging().getByRole("button", { name: "Show all values" }))
  expect(inStaging().getByRole("listitem", { name: "LINES" }).querySelector("code")?.textContent).toBe(
    "one\ntwo\nthree",
  )
  expect(row("LONG").queryByText("x".repeat(2_000))).toBe(null)
  await user.click(row("LONG").getByRole("button", { name: "Show all 2,000 characters" }))
  expect(row("LONG").getByText("x".repeat(2_000))).toBeDefined()
})

test("an override that is being typed is unsaved, and stays when what it overrides is deleted", async () => {
  const { ann, shared, path } = await withBase()
  const { user, client } = open(path, ann)
  await screen.findByText("1 set here, 2 inherited")
  await user.click(row("HOST").getByRole("button", { name: "Override" }))
  await user.type(row("HOST").getByLabelText("Value"), "!")
  expect(screen.getByText("1 unsaved")).toBeDefined()

  const [, host] = await ann.itemsOf(shared)
  await ann.delete(`/collectionItem/${host?.id}`)
  await client.invalidateQueries()
  const left = within(await screen.findByRole("region", { name: "New items" }))
  expect(left.getByLabelText("Value")).toHaveProperty("value", "localhost!")
})
