import { chooseMore, expect, expectNotification, long, test } from "./test.ts"

test("a deleted collection is restored by Undo, from the trash, or deleted forever", async ({ page, given }) => {
  const { username } = await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  const storefront = await given.collection("storefront")
  const card = (name: string) => page.getByRole("heading", { name, exact: true })
  const toTrash = page.getByRole("link", { name: /^Trash/ })

  await page.goto(`/collection/${id}`)
  const remove = async () => {
    await page.getByRole("button", { name: "Delete collection" }).click()
    await expect(page.getByRole("dialog").getByText(/It can be restored from there for 30 days\.$/)).toBeVisible()
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
    await expect(page).toHaveURL("/collection/dashboard")
    await expect(card("billing")).toHaveCount(0)
  }
  await remove()
  await page.getByRole("alert").getByRole("button", { name: "Undo" }).click()
  await expectNotification(page, "Collection restored successfully")
  await expect(card("billing")).toBeVisible()
  await expect(toTrash).toHaveCount(0)

  await card("billing").click()
  await remove()
  await expectNotification(page, "Collection deleted successfully")
  await toTrash.click()
  await expect(page).toHaveURL("/collection/trash")
  await expect(page).toHaveTitle("Trash · Envkeep")
  const list = page.getByRole("list", { name: "Deleted collections" })
  const row = list.getByRole("listitem")
  await expect(row).toContainText(
    `Deleted just now by ${username} · 1 environment, 1 item · deleted forever in 30 days`,
  )
  await page.goto(`/collection/${id}`)
  await expect(page.getByText("This collection is not available")).toBeVisible()

  await page.goto("/collection/trash")
  await page.getByRole("button", { name: "Restore billing" }).press("Enter")
  await expectNotification(page, "Collection restored successfully")
  await expect(page.getByText("The trash is empty")).toBeVisible()
  await page.getByRole("link", { name: "Dashboard" }).click()
  await expect(card("billing")).toBeVisible()

  for (const one of [id, storefront]) await page.request.delete(`/api/collection/${one}`)
  await page.goto("/collection/trash")
  await expect(row).toHaveCount(2)
  const forever = page.getByRole("button", { name: "Delete forever: billing" })
  await forever.click()
  const question = page.getByRole("dialog", { name: "Delete this collection forever?" })
  await question.getByRole("button", { name: "Cancel" }).click()
  await expect(forever).toBeFocused()
  await forever.press("Enter")
  const name = question.getByLabel("Type the name of the collection")
  await expect(name).toBeFocused()
  await page.keyboard.type("Billing\n")
  await expect(name).toHaveAccessibleDescription(/This is not the name\. Nothing was deleted/)
  await expect(name).toBeFocused()
  await name.fill("billing")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Collection deleted forever")
  await expect(row).toHaveCount(1)
  await expect(page.getByRole("button", { name: "Restore storefront" })).toBeFocused()

  await page.getByRole("button", { name: "Empty trash" }).click()
  await page.getByLabel("Type your username").fill(username)
  await page.getByRole("dialog").getByRole("button", { name: "Delete forever" }).click()
  await expectNotification(page, "Trash emptied successfully")
  await expect(page.getByText("The trash is empty")).toBeVisible()
  await expect(page.getByRole("button", { name: "Empty trash" })).toHaveCount(0)
})

test(
  "a deleted environment is restored with its values and keys, under another name if it must",
  long,
  async ({ page, given, server }) => {
    await given.user()
    const id = await given.collection("billing")
    const environmentId = await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
    const made = await page.request.post("/api/api-key", { data: { name: "web", subCollectionId: environmentId } })
    const { key } = (await made.json()).data
    const read = async () =>
      (await fetch(`${server.url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })).status
    const block = (name: string) => page.getByRole("region", { name, exact: true })
    await page.goto(`/collection/${id}`)
    const remove = async () => {
      await chooseMore(block("production"), "Delete environment")
      await expect(page.getByRole("dialog").getByText(/It can be restored from there for 30 days\.$/)).toBeVisible()
      await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
      await expect(block("production")).toHaveCount(0)
    }
    await remove()
    expect(await read()).toBe(401)
    await page.getByRole("alert").getByRole("button", { name: "Undo" }).click()
    await expectNotification(page, "Environment restored successfully")
    await expect(block("production")).toBeVisible()
    expect(await read()).toBe(200)

    await remove()
    await expectNotification(page, "Environment deleted successfully")
    await given.environment(id, "production")
    await page.getByRole("link", { name: "Trash (1)" }).click()
    await expect(page).toHaveURL(`/collection/${id}/trash`)
    await expect(page.getByRole("list", { name: "Deleted environments" })).toContainText(
      "· 1 item · deleted forever in 30 days",
    )
    await page.getByRole("button", { name: "Restore production" }).click()
    await expectNotification(page, "Environment restored successfully")
    await page.getByRole("link", { name: "billing" }).click()
    await expect(block("production (2)")).toContainText("1 item")
    expect(await read()).toBe(200)
  },
)
