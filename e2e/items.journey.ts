import type { Page } from "@playwright/test"
import { chooseMore, expect, expectNotification, type Given, long, test } from "./test.ts"

async function environment(page: Page, given: Given, items: { name: string; value: string }[] = []) {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items)
  await page.goto(`/collection/${id}`)
  const block = page.getByRole("region", { name: "production" })
  await block.getByRole("button", { name: /^production/ }).click()
  return { id, block, row: (name: string) => block.getByRole("listitem", { name, exact: true }) }
}

test("items are added, changed and deleted", async ({ page, given }) => {
  const { block, row } = await environment(page, given)
  const add = block.getByRole("form", { name: "Add item" })

  await add.getByLabel("Name").fill("PORT")
  await add.getByRole("button", { name: "Add item" }).click()
  await expectNotification(page, "Please fill all fields")
  await add.getByLabel("Value").fill("8080")
  await add.getByLabel("Value").press("Enter")
  await expectNotification(page, "Item created successfully")
  await expect(add.getByLabel("Name")).toBeFocused()
  await page.keyboard.type("HOST")
  await page.keyboard.press("Tab")
  await page.keyboard.type("localhost")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Item created successfully")
  await expect(block.getByRole("listitem")).toHaveCount(2)
  await expect(block.getByRole("button", { name: /^production/ })).toContainText("2 items")
  await add.getByLabel("Name").fill("PORT")
  await add.getByLabel("Value").fill("1")
  await page.keyboard.press("Enter")
  await expectNotification(page, "This environment already has an item with that name")
  await expect(add.getByLabel("Name")).toHaveValue("PORT")

  await row("PORT").getByLabel("Value").fill("9090")
  await expect(row("PORT").getByText("Unsaved")).toHaveCount(1)
  await row("PORT").getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Item updated successfully")
  await expect(row("PORT").getByText("Unsaved")).toHaveCount(0)
  await page.reload()
  await expect(row("PORT").getByLabel("Value")).toHaveValue("9090")

  await row("PORT").getByRole("button", { name: "Delete" }).click()
  await page.keyboard.press("Escape")
  await expect(row("PORT").getByRole("button", { name: "Delete" })).toBeFocused()
  await row("PORT").getByRole("button", { name: "Delete" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expectNotification(page, "Item deleted successfully")
  await expect(block.getByRole("listitem")).toHaveCount(1)
})

test("values are masked until they are shown, and again after a reload, a collapse and a minute without use", async ({
  page,
  given,
}) => {
  await page.clock.install()
  const { block, row } = await environment(page, given, [
    { name: "ONE", value: "first" },
    { name: "TWO", value: "second" },
  ])
  const masked = (name: string) => expect(row(name).getByLabel("Value")).toHaveCSS("-webkit-text-security", "disc")
  const shown = (name: string) => expect(row(name).getByLabel("Value")).toHaveCSS("-webkit-text-security", "none")

  await masked("ONE")
  await row("ONE").getByRole("button", { name: "Show value" }).click()
  await shown("ONE")
  await masked("TWO")
  expect(await page.evaluate("JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href")).not.toContain(
    "shown",
  )
  await page.reload()
  await masked("ONE")

  await row("ONE").getByRole("button", { name: "Show value" }).click()
  await shown("ONE")
  await block.getByRole("button", { name: /^production/ }).click()
  await block.getByRole("button", { name: /^production/ }).click()
  await masked("ONE")

  await block.getByRole("button", { name: "Show all values" }).click()
  await shown("ONE")
  await shown("TWO")
  await row("TWO").getByRole("button", { name: "Hide value" }).click()
  await masked("TWO")
  await block.getByRole("button", { name: "Hide all values" }).click()
  await masked("ONE")
  await row("TWO").getByRole("button", { name: "Copy value" }).click()
  await expectNotification(page, "Copied to clipboard")
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("second")

  await row("ONE").getByRole("button", { name: "Show value" }).click()
  await row("TWO").getByLabel("Value").focus()
  await page.keyboard.type("!")
  await shown("TWO")
  await page.clock.fastForward(59_000)
  await shown("ONE")
  await page.clock.fastForward(2_000)
  await masked("ONE")
  await masked("TWO")
  // An unsaved edit is masked, not lost.
  await expect(row("TWO")).toBeFocused()
  await expect(block.getByText("1 unsaved")).toBeVisible()
  await row("TWO").getByRole("button", { name: "Undo edits" }).click()

  await page.goto("/user/dashboard")
  await page.getByLabel("Hide values without use after").selectOption("5 minutes")
  expect(await page.evaluate("localStorage.getItem('envkeep.mask-after-minutes')")).toBe("5")
  await page.goBack()
  await row("ONE").getByRole("button", { name: "Show value" }).click()
  await page.clock.fastForward(4 * 60_000)
  await shown("ONE")
  await page.clock.fastForward(61_000)
  await masked("ONE")
})

test(
  "a value is shown while it has the focus, and the element that is clicked next stays under the pointer",
  long,
  async ({ page, given }) => {
    const { row } = await environment(page, given, [
      { name: "CERT", value: "one\ntwo\nthree\nfour" },
      { name: "NEXT", value: "second" },
    ])
    const field = row("CERT").getByLabel("Value")
    await field.click()
    await expect(field).toBeFocused()
    await expect(field).toHaveCSS("-webkit-text-security", "none")
    // The row gets smaller when the focus leaves it.
    await row("NEXT").getByRole("button", { name: "Show value" }).click()
    await expect(row("NEXT").getByRole("button", { name: "Hide value" })).toBeVisible()
    await expect(field).toHaveCSS("-webkit-text-security", "disc")

    await row("CERT").getByLabel("Name").focus()
    await page.keyboard.press("Tab")
    await expect(field).toHaveCSS("-webkit-text-security", "none")
    await row("CERT").getByRole("button", { name: "Hide value" }).click()
    await expect(field).toHaveCSS("-webkit-text-security", "disc")
  },
)

test("a value with several lines keeps them when it is edited, also while masked", async ({ page, given }) => {
  const { block, row, id } = await environment(page, given, [
    { name: "CERT", value: "one\ntwo\n\nfour" },
    { name: "DOS", value: "one\r\ntwo" },
  ])
  await row("CERT").getByLabel("Value").press("End")
  await row("CERT").getByLabel("Value").press("Control+End")
  await row("CERT").getByLabel("Value").press("Shift+Enter")
  await page.keyboard.type("five")
  await row("CERT").getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Item updated successfully")
  await row("DOS").getByLabel("Value").press("Control+End")
  await page.keyboard.type("!")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Item updated successfully")
  await block.getByRole("button", { name: "Show all values" }).click()
  await expect(row("CERT").getByLabel("Value")).toHaveValue("one\ntwo\n\nfour\nfive")

  const answer = await page.request.get(`/api/collection/${id}`)
  const { data } = (await answer.json()) as { data: { subCollections: { collectionItems: { value: string }[] }[] } }
  expect(data.subCollections[0]?.collectionItems.map(({ value }) => value)).toEqual([
    "one\ntwo\n\nfour\nfive",
    "one\r\ntwo!",
  ])
})

test("leaving with unsaved edits asks first, and edits survive a collapse", async ({ page, given }) => {
  const { block, row, id } = await environment(page, given, [{ name: "PORT", value: "8080" }])
  await row("PORT").getByLabel("Value").fill("9090")
  await expect(block.getByText("1 unsaved")).toBeVisible()
  await block.getByRole("form", { name: "Add item" }).getByLabel("Name").fill("HALF_TYPED")
  await block.getByRole("button", { name: /^production/ }).click()
  await block.getByRole("button", { name: /^production/ }).click()
  await expect(row("PORT").getByLabel("Value")).toHaveValue("9090")
  await expect(block.getByRole("form", { name: "Add item" }).getByLabel("Name")).toHaveValue("HALF_TYPED")

  await page.getByRole("link", { name: "Profile" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Stay" }).click()
  await expect(page).toHaveURL(new RegExp(`/collection/${id}\\?`))
  await expect(row("PORT").getByLabel("Value")).toHaveValue("9090")

  const asked = page.waitForEvent("dialog")
  // It does not reload.
  page.reload().catch(() => undefined)
  const question = await asked
  expect(question.type()).toBe("beforeunload")
  await question.dismiss()

  await page.getByRole("link", { name: "Profile" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await page.goBack()
  await expect(row("PORT").getByLabel("Value")).toHaveValue("8080")

  await row("PORT").getByLabel("Value").fill("9090")
  await row("PORT").getByRole("button", { name: "Undo edits" }).click()
  await page.getByRole("link", { name: "Profile" }).click()
  await expect(page).toHaveURL("/user/dashboard")
})

test(
  "of five thousand items only the visible ones are rendered, and all can be found, reached and changed",
  long,
  async ({ page, given }) => {
    const items = Array.from({ length: 5000 }, (_, at) => ({ name: `NAME_${at}`, value: `value ${at}` }))
    const { block, row } = await environment(page, given, items)
    await expect(row("NAME_0")).toBeVisible()
    expect(await block.getByRole("listitem").count()).toBeLessThan(60)

    await block.getByRole("button", { name: /^production/ }).click()
    await expect(block.getByRole("listitem")).toHaveCount(0)
    await block.getByRole("button", { name: /^production/ }).click()
    await expect(row("NAME_0")).toBeVisible()

    const field = row("NAME_3").getByLabel("Value")
    await field.press("End")
    await page.keyboard.type("abcdefghij")
    await expect(field).toHaveValue("value 3abcdefghij")

    await block.getByLabel("Filter items").fill("name_4999")
    // The one that is searched and the unsaved one.
    await expect(block.getByRole("listitem")).toHaveCount(2)
    await expect(row("NAME_4999").getByLabel("Value")).toHaveValue("value 4999")
    await block.getByLabel("Filter items").fill("")
    await page.mouse.wheel(0, 400_000)
    await expect(row("NAME_4999")).toBeVisible()
    await page.mouse.wheel(0, -400_000)
    await expect(field).toHaveValue("value 3abcdefghij")
  },
)

test("the focus stays in place after saving, undoing and deleting", async ({ page, given }) => {
  const { id, block, row } = await environment(page, given, [
    { name: "ONE", value: "1" },
    { name: "TWO", value: "2" },
  ])
  await given.environment(id, "staging")
  const one = row("ONE").getByLabel("Value")
  await one.fill("11")
  await row("ONE").getByRole("button", { name: "Save" }).press("Enter")
  await expectNotification(page, "Item updated successfully")
  await expect(one).toBeFocused()
  await one.fill("111")
  await row("ONE").getByRole("button", { name: "Undo edits" }).press("Enter")
  await expect(one).toHaveValue("11")
  await expect(one).toBeFocused()

  const confirm = async () => {
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter")
    // It fades out: the next dialog must not find this one still there.
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await row("ONE").getByRole("button", { name: "Delete" }).press("Enter")
  await confirm()
  await expectNotification(page, "Item deleted successfully")
  await expect(row("TWO").getByRole("button", { name: "Delete" })).toBeFocused()
  await row("TWO").getByRole("button", { name: "Delete" }).press("Enter")
  await confirm()
  await expectNotification(page, "Item deleted successfully")
  await expect(block.getByRole("form", { name: "Add item" }).getByLabel("Name")).toBeFocused()

  await chooseMore(block, "Delete environment")
  await confirm()
  await expectNotification(page, "Environment deleted successfully")
  await expect(page.getByRole("button", { name: /^staging/ })).toBeFocused()
  await chooseMore(page.getByRole("region", { name: "staging" }), "Delete environment")
  await confirm()
  await expectNotification(page, "Environment deleted successfully")
  await expect(page.getByLabel("Environment name")).toBeFocused()
})

test(
  "a masked value does not reveal its length, and a field shows its border when hovered",
  long,
  async ({ page, given }) => {
    const { row } = await environment(page, given, [{ name: "LONG", value: "x".repeat(300) }])
    const field = row("LONG").getByLabel("Value")
    await page.mouse.move(0, 0)
    await expect(field).toHaveCSS("color", "rgba(0, 0, 0, 0)")
    await expect(field).toHaveCSS("border-top-color", "rgba(0, 0, 0, 0)")
    await field.hover()
    await expect(field).toHaveCSS("border-top-color", "rgb(118, 133, 140)")
    await field.focus()
    await expect(field).not.toHaveCSS("color", "rgba(0, 0, 0, 0)")
  },
)
