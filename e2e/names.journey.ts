import { readFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { described } from "./screens/names.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

const environmentOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const rowOf = (page: Page, name: string) => page.getByRole("listitem", { name, exact: true })

test("an item is described, shown unmasked, and what is missing or does not fit is counted", async ({
  page,
  given,
}) => {
  await given.user()
  const id = await given.collection("shop")
  const environment = await given.environment(id, "production", [
    { name: "PORT", value: "not-a-port-42" },
    { name: "TOKEN", value: "a secret token" },
  ])
  await page.goto(`/collection/${id}?env=${environment}`)
  const value = rowOf(page, "PORT").getByLabel("Value")
  await expect(value).toHaveClass(/masked/)
  await expect(page.getByRole("button", { name: /missing|not fit/ })).toHaveCount(0)

  await rowOf(page, "PORT").getByRole("button", { name: "About" }).click()
  const about = page.getByRole("dialog", { name: "About PORT" })
  await about.getByLabel("Description").fill("Where the app listens")
  await about.getByLabel("Secret").uncheck()
  await about.getByLabel("Kind").selectOption("Port")
  await about.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Description saved")
  await expect(about).toHaveCount(0)
  await expect(rowOf(page, "PORT").getByRole("button", { name: "About" })).toBeFocused()
  await expect(value).not.toHaveClass(/masked/)
  await expect(rowOf(page, "TOKEN").getByLabel("Value")).toHaveClass(/masked/)
  await expect(rowOf(page, "PORT").getByText("It should be a whole number from 1 to 65535.")).toBeVisible()

  const chip = environmentOf(page, "production").getByRole("button", { name: "1 does not fit" })
  await chip.click()
  const check = page.getByRole("dialog", { name: "Check of production" })
  await expect(check.getByRole("listitem")).toHaveText(/PORT/)
  await page.keyboard.press("Escape")
  await expect(chip).toBeFocused()
  await chip.click()
  await check.getByRole("button", { name: "Show PORT" }).click()
  await expect(check).toHaveCount(0)
  await expect(rowOf(page, "PORT")).toBeFocused()

  // While it is typed, it is judged too. Nothing is refused.
  await value.fill("3000")
  await expect(rowOf(page, "PORT").getByText("It should be")).toHaveCount(0)
  await value.press("Enter")
  await expectNotification(page, "Item updated successfully")
  await expect(chip).toHaveCount(0)
})

test("a missing name is added from the check, and others see a new description at once", async ({ page, given }) => {
  const { id, production } = await described(page, given)
  const live = page.waitForResponse("**/live")
  await page.goto(`/collection/${id}?env=${production}`)
  await live
  await page.getByRole("button", { name: "1 missing, 1 does not fit" }).click()
  await page.getByRole("button", { name: "Add LOG_LEVEL" }).click()
  const added = page.getByRole("dialog", { name: "Check of production" })
  await expect(added).toHaveCount(0)
  await expect(environmentOf(page, "production").getByText("1 unsaved")).toBeVisible()

  const data = { name: "LOG_LEVEL", isRequired: false }
  await page.request.put(`/api/collections/${id}/names`, { data })
  await expect(page.getByRole("button", { name: "1 does not fit", exact: true })).toBeVisible()
})

test(
  "the page of names is edited in place, by keyboard too, and a removed description comes back",
  long,
  async ({ page, given }) => {
    const { id } = await described(page, given)
    await page.goto(`/collection/${id}`)
    await page.getByRole("link", { name: "Names" }).click()
    await expect(page.getByText("Missing in production")).toBeVisible()
    const text = page.getByLabel("Description of SMTP_HOST")
    await text.fill("Sends mail")
    await text.press("Enter")
    await expectNotification(page, "Description saved")
    await page.getByLabel("SMTP_HOST is required").check()
    await expectNotification(page, "Description saved")
    await expect(page.getByText("Missing in staging")).toBeVisible()
    await text.fill("something else")
    await text.press("Escape")
    await expect(text).toHaveValue("Sends mail")

    await page.getByLabel("Kind of SMTP_HOST").selectOption("One of a list")
    const dialog = page.getByRole("dialog", { name: "About SMTP_HOST" })
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect(dialog.getByText("Please list what can be chosen")).toBeVisible()
    await dialog.getByLabel("Choices").fill("mail.example.com\nlocalhost")
    await dialog.getByRole("button", { name: "Save" }).click()
    await expect(page.getByRole("button", { name: "mail.example.com, localhost" })).toBeVisible()

    await page.getByLabel("Show", { exact: true }).selectOption("Described")
    await page.getByRole("button", { name: "Remove the description of SENTRY_DSN" }).click()
    await expect(page.getByLabel("Description of SENTRY_DSN")).toHaveCount(0)
    await page.getByRole("button", { name: "Undo" }).click()
    await expect(page.getByLabel("Description of SENTRY_DSN")).toHaveValue("Errors are reported here once it is set")
  },
)

test("a .env.example is imported and exported, and a viewer only reads", long, async ({ page, given }) => {
  const { email } = await given.account()
  const { id } = await described(page, given)
  await page.goto(`/collection/${id}/names`)
  await page.getByRole("button", { name: "Import descriptions" }).click()
  const text =
    "# Sends mail\nSMTP_HOST=mail.internal\n\n# Other words\nPORT=1\n\n# @required @type=email\nALERT_EMAIL=\n"
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: ".env.example", mimeType: "text/plain", buffer: Buffer.from(text) })
  await expect(page.getByLabel("Use the values as examples")).toBeChecked()
  await page.getByRole("button", { name: "Import 2 names" }).click()
  await expectNotification(page, "Descriptions saved")
  await expect(page.getByLabel("Description of PORT")).toHaveValue("Where the app listens")
  await expect(page.getByLabel("Example of SMTP_HOST")).toHaveValue("mail.internal")

  await page.request.post(`/api/collections/${id}/members`, { data: { who: email, role: "viewer" } })
  await page.request.post("/api/users/login", { data: { email, password } })
  await page.goto(`/collection/${id}/names`)
  await expect(page.getByText("Sends mail")).toBeVisible()
  await expect(page.getByRole("textbox")).toHaveCount(0)
  await expect(page.getByRole("button", { name: "Import descriptions" })).toHaveCount(0)
  await page.getByRole("button", { name: "Export .env.example" }).click()
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download env.example" }).click(),
  ])
  const content = (await readFile(await file.path())).toString()
  expect(content).toContain("# @required @type=email\nALERT_EMAIL=\n")
  expect(content).toContain("# Sends mail\nSMTP_HOST=mail.internal\n")
  expect(content).not.toContain("postgres://db.")
})
