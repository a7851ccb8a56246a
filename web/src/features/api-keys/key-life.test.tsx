import type { Collection, KeyLeak } from "@envkeep/contract"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a key is made with options, shows its state, and is edited, disabled and rolled", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const used = await ann.apiKey(environment, "used")
  const today = Date.now() - (Date.now() % 86_400_000)
  await app.db
    .insertInto("key_read")
    .values({
      api_key_id: used.id,
      api_key_name: "used",
      environment_id: environment.id,
      collection_id: environment.collectionId,
      address: "10.0.0.0/24",
      hour_at: today,
      last_at: today,
      reads: 1_234,
      client: "",
    })
    .execute()
  await app.db
    .insertInto("key_refusal")
    .values({
      api_key_id: used.id,
      day_at: today,
      reason: "address",
      address: "10.0.1.0/24",
      refused: 3,
      last_at: today,
    })
    .execute()
  const { user } = open(`/collection/${environment.collectionId}`, ann)
  await user.click(await screen.findByRole("button", { name: "Manage API keys" }))
  const dialog = within(await screen.findByRole("dialog", { name: "API keys of production" }))

  await user.type(dialog.getByLabelText("Name"), "web-1")
  expect(dialog.queryByLabelText("Expires")).toBe(null)
  await user.click(dialog.getByRole("button", { name: "Options" }))
  await user.selectOptions(dialog.getByLabelText("Expires"), "In 7 days")
  await user.type(dialog.getByLabelText("Allowed addresses"), "10.0.0.0/33")
  await user.click(dialog.getByRole("button", { name: "Add" }))
  const refusal = "Not an IP address or a range such as 10.0.0.0/8: “10.0.0.0/33”"
  await waitFor(() => expect(dialog.getByText(refusal)).toBeDefined())
  await user.clear(dialog.getByLabelText("Allowed addresses"))
  await user.type(dialog.getByLabelText("Allowed addresses"), "10.0.0.0/8")
  await user.type(dialog.getByLabelText("Note"), "for the web server")
  await user.click(dialog.getByRole("button", { name: "Add" }))
  const row = within(await dialog.findByRole("listitem", { name: "web-1" }))
  expect(row.getByText("Expires in 6 days")).toBeDefined()
  expect(row.getByText("Limited to addresses")).toBeDefined()
  expect(row.getByText("for the web server")).toBeDefined()
  expect(dialog.queryByLabelText("Expires")).toBe(null)

  await user.click(row.getByRole("button", { name: "Manage" }))
  const panel = within(await dialog.findByRole("region", { name: "Manage web-1" }))
  await panel.findByText("No reads within the last 30 days")
  await user.selectOptions(panel.getByLabelText("Expires"), "Never")
  await user.clear(panel.getByLabelText("Allowed addresses"))
  await user.click(panel.getByRole("button", { name: "Save" }))
  await screen.findByText("API Key saved successfully")
  await waitFor(() => expect(row.queryByText("Limited to addresses")).toBe(null))
  expect(row.queryByText(/^Expires/)).toBe(null)

  await user.click(panel.getByRole("button", { name: "Disable" }))
  await row.findByText("Disabled")
  await user.click(panel.getByRole("button", { name: "Enable" }))
  await waitFor(() => expect(row.queryByText("Disabled")).toBe(null))
  await user.click(panel.getByRole("button", { name: "Roll" }))
  const old = within(await dialog.findByRole("listitem", { name: "web-1 (replaced)" }))
  expect(old.getByText("Replaced")).toBeDefined()
  expect(old.getByText("Expires in 23 hours")).toBeDefined()
  await dialog.findByRole("region", { name: "Use web-1" })

  await user.click(within(dialog.getByRole("listitem", { name: "used" })).getByRole("button", { name: "Manage" }))
  await dialog.findByRole("img", { name: /^1,234 reads within the last 30 days, at most 1,234 reads on / })
  expect(
    dialog.getByText(/^Refused 3 times in the last 7 days: address not allowed \(3\); last from 10\.0\.1\.0\/24 on /),
  ).toBeDefined()
})

test("the page of a leaked key stops it and ticks off what is replaced, without a reload", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const item = await ann.item(environment, "TOKEN", "a value that leaked")
  await ann.item(environment, "PORT", "8080")
  const { id } = await ann.apiKey(environment, "web-1")
  const { user, client } = open(`/collection/${environment.collectionId}/api-key/${id}/leak`, ann)
  await screen.findByRole("heading", { name: "If web-1 leaked" })
  expect(screen.getByText("Stop the key first: until then it reads the new values too.")).toBeDefined()
  await user.click(screen.getByRole("button", { name: "Disable now" }))
  await screen.findByText(/^It stopped working on/)
  await screen.findByText(/^0 of 2 done/)

  const leak = (await ann.get<KeyLeak>(`/api-key/${id}/leak`)).body.data
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(leak.endedAt ?? ""))
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "another value" })
  // As the collection's stream does when it hears of a change.
  await client.invalidateQueries({ queryKey: ["collection", environment.collectionId] })
  await screen.findByText(/^1 of 2 done/)
  const row = within(screen.getByRole("listitem", { name: "TOKEN" }))
  expect(row.getByText(/^replaced/)).toBeDefined()
  expect(row.queryByRole("link")).toBe(null)
  expect(screen.getByRole("link", { name: "Replace PORT" })).toBeDefined()
  expect(document.body.textContent).not.toContain("a value")
})

test("a leaked key is rolled after a question, and the new key is shown with how to use it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const { id, key } = await ann.apiKey(environment, "web-1")
  const { user, calls } = open(`/collection/${environment.collectionId}/api-key/${id}/leak`, ann)
  await user.click(await screen.findByRole("button", { name: "Roll…" }))
  const question = within(await screen.findByRole("dialog", { name: "Roll web-1?" }))
  expect(question.getByText(/^No program has read with it yet\./)).toBeDefined()
  expect(question.getByLabelText("The old key")).toHaveProperty("value", "0")
  expect(calls.some((call) => call.startsWith("POST"))).toBe(false)

  await user.selectOptions(question.getByLabelText("The old key"), "60")
  await user.click(question.getByRole("button", { name: "Roll" }))
  const shown = within(await screen.findByRole("dialog", { name: "Your new key" }))
  expect(shown.getByRole("region", { name: "Use web-1" })).toBeDefined()
  const keys = (await ann.get<Collection>(`/collection/${environment.collectionId}`)).body.data.subCollections.flatMap(
    ({ apiKeys }) => apiKeys,
  )
  const made = keys.find((one) => one.id !== id)
  expect(made?.key).not.toBe(key)
  expect(shown.getAllByText(new RegExp(made?.key ?? "no key")).length).toBeGreaterThan(0)
  expect(keys.find((one) => one.id === id)?.expiresAt).not.toBeNull()

  await user.click(shown.getByRole("button", { name: "Done" }))
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
  expect(document.body.textContent).not.toContain(made?.key)
})
