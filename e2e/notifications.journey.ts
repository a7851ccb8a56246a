import type { Page } from "@playwright/test"
import { expect, long, password, test, unreachable } from "./test.ts"

test.use({ contextOptions: { reducedMotion: "no-preference" } })

const items = Array.from({ length: 60 }, (_, at) => ({ name: `NAME_${at}`, value: `value ${at}` }))

/** The controls that a notification overlaps, by their text or label. Over the logo is fine in a narrow window. */
const covered = `(() => {
  const notes = [...document.querySelectorAll("[role=alert]")].map((note) => [note, note.getBoundingClientRect()])
  if (notes.length === 0) return ["no notification"]
  return [...document.querySelectorAll("a:not(.nav-bar__brand), button, input, textarea, select")]
    .filter((control) => {
      const box = control.getBoundingClientRect()
      // What is scrolled under the bar is covered by the bar.
      const boxTop = control.closest("main") ? Math.max(box.top, 80) : box.top
      return box.width > 1 && notes.some(([note, { left, right, top, bottom }]) =>
        !note.contains(control) && box.left < right && box.right > left && boxTop < bottom && box.bottom > top)
    })
    .map((control) => control.ariaLabel || control.textContent || control.tagName)
})()`

async function expectNothingCovered(page: Page) {
  await expect(page.getByRole("alert").last()).toBeVisible()
  // It slides in, so it is asked again until it is at its place.
  await expect.poll(() => page.evaluate(covered)).toEqual([])
}

for (const [width, height] of [
  [1280, 800],
  [1024, 700],
  [800, 700],
  [375, 812],
  [320, 640],
] as const) {
  test(`a notification covers no control at ${width} px`, width === 375 ? {} : long, async ({ page, given }) => {
    await page.setViewportSize({ width, height })
    await given.user()
    const id = await given.collection("billing")
    const environment = await given.environment(id, "production", items)
    await given.environment(id, "staging")
    await given.apiKey(environment, "ci")
    await page.goto("/user/dashboard")
    await page.getByRole("button", { name: "Update password" }).click()
    await expectNothingCovered(page)

    // The longest sentence, also right after another one.
    await page.route("**/api/users/password", (route) => route.abort())
    await page.getByLabel("Old password").fill(password)
    await page.getByLabel("New password").fill("another password")
    await page.getByLabel("Confirm password").fill("another password")
    await page.getByRole("button", { name: "Update password" }).click()
    const longest = page.getByRole("alert").filter({ hasText: unreachable })
    await expect(longest).toBeVisible()
    await expectNothingCovered(page)
    const bottom = async () => ((box) => box && box.y + box.height)(await longest.boundingBox())
    await expect.poll(bottom).toBeLessThanOrEqual(80)

    await page.goto(`/collection/${id}`)
    await page.getByRole("button", { name: "Edit name" }).first().click()
    await page.getByLabel("Name", { exact: true }).first().fill(" ")
    await page.getByRole("button", { name: "Save" }).first().click()
    await expectNothingCovered(page)
    await page.getByRole("button", { name: "Cancel" }).first().click()

    // In a narrow window the actions are in a sheet.
    if (width < 1000) await page.getByRole("button", { name: "Actions" }).first().click()
    await page.getByRole("button", { name: "Edit raw values" }).first().click()
    await page.getByRole("dialog").getByRole("button", { name: "Copy", exact: true }).click()
    await expectNothingCovered(page)
    await page.getByLabel("Raw values", { exact: true }).fill("=")
    await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click()
    await expect(page.getByRole("alert").filter({ hasText: "No data found" })).toBeVisible()
    await expectNothingCovered(page)
  })
}

test("on a phone, Undo goes below a message that has no room beside it", async ({ page, given }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items)
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: /^production/ }).click()
  await page.getByRole("listitem").first().getByRole("button", { name: "Delete" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  const undo = page.getByRole("alert").getByRole("button", { name: "Undo" })
  await expectNothingCovered(page)
  const [message, button] = [await page.getByText("Item deleted successfully").boundingBox(), await undo.boundingBox()]
  if (message === null || button === null) throw new Error("The message is not shown")
  expect(message.width).toBeGreaterThan(100)
  expect(button.y).toBeGreaterThanOrEqual(message.y + message.height)
  expect(button.y + button.height).toBeLessThanOrEqual(80)
})

test("an error goes when the next try succeeds, and not before", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items.slice(0, 1))
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Edit raw values" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Raw values", { exact: true }).fill("=")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  const error = page.getByRole("alert").filter({ hasText: "No data found" })
  await expect(error).toBeVisible()
  // So that it does not go by itself.
  await error.getByRole("button", { name: "Dismiss" }).hover()
  await dialog.getByRole("button", { name: "Copy" }).dispatchEvent("click")
  await expect(page.getByRole("alert").filter({ hasText: "Copied to clipboard" })).toBeVisible()
  await expect(error).toBeVisible()

  await dialog.getByLabel("Raw values", { exact: true }).fill("A=1")
  await dialog.getByRole("button", { name: "Confirm" }).dispatchEvent("click")
  await expect(page.getByRole("alert").filter({ hasText: "Bulk save successfull" })).toBeVisible()
  await expect(error).toHaveCount(0)
})
