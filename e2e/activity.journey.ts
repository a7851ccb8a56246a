import { readFile } from "node:fs/promises"
import { expect, expectNotification, long, password, test } from "./test.ts"

test("a collection's activity shows who changed what, filters it and exports it", async ({ page, given }) => {
  const { username } = await given.user()
  const id = await given.collection("billing-api")
  await given.environment(id, "production", [{ name: "SMTP_PASSWORD", value: "a value that stays secret" }])
  await given.apiKey(await given.environment(id, "staging"), "nightly-export")
  await page.goto(`/collection/${id}`)
  await page.getByRole("link", { name: "Activity" }).click()
  await expect(page).toHaveURL(`/collection/${id}/activity`)
  await expect(page.getByRole("heading", { name: "Activity", exact: true })).toBeVisible()

  const rows = page.getByRole("region", { name: "Today" }).getByRole("listitem")
  await expect(rows).toHaveText([
    new RegExp(`^${username} created the API key nightly-export staging`),
    new RegExp(`^${username} created the environment staging`),
    new RegExp(`^${username} saved SMTP_PASSWORD production`),
    new RegExp(`^${username} created the environment production`),
    new RegExp(`^${username} created the collection`),
  ])
  await expect(page.getByText("a value that stays secret")).toHaveCount(0)

  await page.getByLabel("Kind").selectOption("Environments")
  await expect(rows).toHaveCount(2)
  await page.getByLabel("Environment", { exact: true }).selectOption("production")
  await expect(rows).toHaveCount(1)
  await page.getByLabel("To", { exact: true }).fill("2020-01-01")
  await expect(page.getByText("Nothing matches these filters")).toBeVisible()
  await page.getByRole("search").getByRole("button", { name: "Clear filters" }).click()
  await expect(rows).toHaveCount(5)
  await page.getByLabel("Person").selectOption(username)
  await expect(rows).toHaveCount(5)

  await page.getByLabel("Kind").selectOption("Items")
  await expect(rows).toHaveCount(1)
  const downloading = page.waitForEvent("download")
  await page.getByRole("link", { name: "Export" }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/\.jsonl$/)
  const lines = (await readFile(await download.path(), "utf8")).trim().split("\n")
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ action: "items.save", names: ["SMTP_PASSWORD"] }])

  // A job places events in the chain every second.
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole("complementary", { name: "Audit trail" })).toContainText(
      /Position [\d,]+, [0-9a-f]{8}…/,
    )
  }).toPass()
  await page.getByRole("button", { name: "Copy the position" }).click()
  await expectNotification(page, "Copied to clipboard")
  expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^\d+:[0-9a-f]{64}$/)
})

test("a user sees refused logins among their own activity, older ones page by page", long, async ({ page, given }) => {
  const { username, email } = await given.user()
  await page.request.post("/api/users/login", { data: { email, password: "a wrong password" } })
  const id = await given.collection("many")
  for (let n = 0; n < 50; n++) await given.environment(id, `environment ${n}`)
  await page.goto("/user/dashboard")
  await page.getByRole("link", { name: "Show your activity" }).click()
  await expect(page).toHaveURL("/user/activity")
  const rows = page.getByRole("region").getByRole("listitem")
  await expect(rows).toHaveCount(50)
  await page.getByRole("button", { name: "Show older activity" }).click()
  await expect(rows).toHaveCount(54)
  await expect(page.getByRole("button", { name: "Show older activity" })).toHaveCount(0)
  await page.getByLabel("Kind").selectOption("Logins")
  await expect(rows).toHaveText([
    new RegExp(`^Someone as ${username} could not log in`),
    new RegExp(`^${username} logged in`),
  ])
})

test("an administrator sees the server's activity without the names of what belongs to others", async ({
  page,
  given,
}) => {
  const { username, email } = await given.user()
  await given.environment(await given.collection("hidden collection"), "hidden environment")
  await given.admin()
  await page.goto("/admin/dashboard")
  await page.getByRole("link", { name: "Activity" }).click()
  await expect(page).toHaveURL("/admin/activity")
  await expect(page.getByText(`${username} created the environment`)).toBeVisible()
  await expect(page.getByText("hidden")).toHaveCount(0)

  await page.request.post("/api/users/login", { data: { email, password } })
  await page.goto("/admin/activity")
  await expect(page).toHaveURL("/")
})
