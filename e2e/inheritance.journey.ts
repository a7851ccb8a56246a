import type { Page } from "@playwright/test"
import { chooseMore, expect, expectNotification, long, password, test } from "./test.ts"

const environmentOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const rowIn = (page: Page, environment: string, name: string) =>
  environmentOf(page, environment).getByRole("listitem", { name, exact: true })

const sharedItems = [
  { name: "PORT", value: "shared-port" },
  { name: "HOST", value: "shared-host" },
]

test("an environment inherits what it does not set, overrides it and follows its base", async ({
  page,
  given,
  browser,
  baseURL,
}) => {
  const { email } = await given.user()
  const id = await given.collection("billing-api")
  const shared = await given.environment(id, "shared", sharedItems)
  const staging = await given.environment(id, "staging", [{ name: "LEVEL", value: "staging-level" }])
  await page.goto(`/collection/${id}?env=${staging}`)
  await chooseMore(environmentOf(page, "staging"), "Inherit from…")
  await page.getByLabel("Base", { exact: true }).selectOption("shared")
  await expect(page.getByText("2 variables come from shared.")).toBeVisible()
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Base changed successfully")
  await expect(environmentOf(page, "staging").getByText("1 set here, 2 inherited")).toBeVisible()
  await expect(environmentOf(page, "staging").getByRole("link", { name: "Inherits from shared" })).toBeVisible()

  await test.step("an override takes the place of the inherited value, and is taken back", async () => {
    await rowIn(page, "staging", "PORT").getByRole("button", { name: "Override" }).click()
    const value = rowIn(page, "staging", "PORT").getByLabel("Value")
    await expect(value).toBeFocused()
    await expect(value).toHaveValue("shared-port")
    await value.fill("staging-port")
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item created successfully")
    await expect(rowIn(page, "staging", "PORT").getByText("overrides shared")).toBeVisible()
    const back = rowIn(page, "staging", "PORT").getByRole("button", { name: "Use the inherited value" })
    await expect(back).toBeFocused()
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item deleted successfully")
    await expect(rowIn(page, "staging", "PORT").getByRole("button", { name: "Override" })).toBeFocused()
  })

  await test.step("a change of the base appears on an open heir, and typing goes on", async () => {
    await rowIn(page, "staging", "LEVEL").getByLabel("Value").fill("typed-level")
    const context = await browser.newContext(baseURL === undefined ? {} : { baseURL })
    const colleague = await context.newPage()
    await colleague.request.post("/api/users/login", { data: { email, password } })
    await colleague.goto(`/collection/${id}?env=${shared}`)
    await rowIn(colleague, "shared", "HOST").getByLabel("Value").fill("newer-host")
    await colleague.keyboard.press("Enter")
    await expectNotification(colleague, "Item updated successfully")
    await context.close()
    await rowIn(page, "staging", "HOST").getByRole("button", { name: "Show value" }).click()
    await expect(rowIn(page, "staging", "HOST").getByText("newer-host")).toBeVisible()
    await expect(rowIn(page, "staging", "LEVEL").getByLabel("Value")).toHaveValue("typed-level")
    await rowIn(page, "staging", "LEVEL").getByRole("button", { name: "Save" }).click()
    await expectNotification(page, "Item updated successfully")
  })

  await test.step("an export holds what apps get, and the raw text what is set here", async () => {
    await environmentOf(page, "staging").getByRole("button", { name: "Export" }).click()
    await page.getByRole("menuitem", { name: ".env file" }).click()
    await expect(page.getByText("With what it inherits: 2 from shared.")).toBeVisible()
    await expect(page.getByLabel("Preview")).toHaveValue(/PORT=.*\nHOST=.*\nLEVEL=/)
    await page.keyboard.press("Escape")
    await environmentOf(page, "staging").getByRole("button", { name: "Edit raw values" }).click()
    await expect(page.getByText("What it inherits is not in the text, and stays: 2 from shared.")).toBeVisible()
    await expect(page.getByLabel("Raw values", { exact: true })).toHaveValue("LEVEL=typed-level\n")
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  })

  await test.step("the history says what came from the base, and leads there", async () => {
    await chooseMore(environmentOf(page, "staging"), "History")
    const entry = page.getByRole("listitem").filter({ hasText: "Inherited changes from shared" })
    await entry.getByRole("button", { name: /^.*Inherited changes/ }).click()
    await expect(entry.getByText("1 changed")).toBeVisible()
    await entry.getByRole("link", { name: "Revision 3 of shared" }).click()
    await expect(page.getByText("What changed in shared from the earlier one to the later one.")).toBeVisible()
  })
})

test(
  "deleting a base says who inherits, and copies its values down; protecting one protects its heirs",
  long,
  async ({ page, given }) => {
    await given.user()
    const id = await given.collection("billing-api")
    const shared = await given.environment(id, "shared", sharedItems)
    const staging = await given.environment(id, "staging", [{ name: "PORT", value: "staging-port" }])
    await page.request.put(`/api/environments/${staging}/base`, { data: { baseId: shared } })
    await page.goto(`/collection/${id}?env=${staging}`)
    await expect(rowIn(page, "staging", "HOST")).toBeVisible()

    await chooseMore(environmentOf(page, "shared"), "Protect")
    await expect(page.getByText("staging inherits from it, so it is protected too.")).toBeVisible()
    await page.getByRole("button", { name: "Protect all 2" }).click()
    await expectNotification(page, "Protection changed successfully")
    await expect(environmentOf(page, "staging").getByText("Protected")).toBeVisible()

    const copyDown = page.getByLabel("Copy its values into them first")
    await chooseMore(environmentOf(page, "shared"), "Delete environment")
    await expect(page.getByText("staging inherits from it.")).toBeVisible()
    await copyDown.uncheck()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect(environmentOf(page, "staging").getByText("1 item", { exact: true })).toBeVisible()
    await page.getByRole("button", { name: "Undo" }).click()
    await expectNotification(page, "Base changed successfully")
    await expect(environmentOf(page, "staging").getByText("1 set here, 1 inherited")).toBeVisible()

    await page.reload()
    await chooseMore(environmentOf(page, "shared"), "Delete environment")
    await expect(copyDown).toBeChecked()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expectNotification(page, "Environment deleted successfully")
    await expect(environmentOf(page, "staging").getByText("2 items")).toBeVisible()
    await expect(rowIn(page, "staging", "HOST").getByLabel("Value")).toHaveValue("shared-host")
    await expect(rowIn(page, "staging", "PORT").getByLabel("Value")).toHaveValue("staging-port")

    await test.step("what comes back from the trash without its base says so", async () => {
      const review = await given.environment(id, "review")
      await page.request.put(`/api/environments/${review}/protection`, { data: { isProtected: true } })
      await page.request.put(`/api/environments/${review}/base`, { data: { baseId: staging } })
      await page.request.delete(`/api/subcollection/${review}`)
      await page.request.delete(`/api/subcollection/${staging}`)
      await page.goto(`/collection/${id}/trash`)
      await page.getByRole("button", { name: "Restore review" }).click()
      await expectNotification(
        page,
        "review has only what it sets itself: what it inherited from can no longer be its base",
      )
    })
  },
)
