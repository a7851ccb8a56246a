import type { Page } from "@playwright/test"
import { expect, type Given, long, test } from "./test.ts"

// Keys that are typed at once after Ctrl+K. Letters such as N and J are shortcuts of the page behind.

const field = (page: Page) => page.getByRole("combobox", { name: "Find" })
const option = (page: Page, name: string) =>
  page.getByRole("listbox", { name: "Results" }).getByRole("option", { name, exact: true })

/** A collection, freshly opened, with two environments that N would open. */
async function fresh(given: Given): Promise<string> {
  await given.user()
  const id = await given.collection("new relic")
  await given.environment(id, "dev", [{ name: "NEW_RELIC_KEY", value: "the value of it" }])
  await given.environment(id, "production")
  return `/collection/${id}`
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  await session.send("Emulation.setCPUThrottlingRate", { rate: 6 })
}

/** None of the keys has reached the page: no environment was opened, no form was filled in. */
async function expectPageUntouched(page: Page, path: string): Promise<void> {
  await expect(page).toHaveURL(path)
  const texts = await page.evaluate<string[]>(
    "[...document.querySelectorAll('#root input, #root textarea')].map(({ value }) => value)",
  )
  expect(texts.filter((text) => text !== "")).toEqual([])
  await expect(page.getByRole("button", { name: /^dev/, includeHidden: true })).toHaveAttribute(
    "aria-expanded",
    "false",
  )
}

test("on a slow machine, what is typed at once after Ctrl+K is in the field", async ({ page, given }) => {
  const path = await fresh(given)
  await slowDown(page)
  await page.goto(path)
  await expect(page.getByRole("button", { name: /^dev/ })).toBeVisible()
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("new relic", { delay: 0 })
  await expect(field(page)).toHaveValue("new relic")
  await expect(option(page, "new relic")).toBeVisible()
  await expect(field(page)).toBeFocused()
  await expectPageUntouched(page, path)
})

test("before the results are loaded, the field has the keyboard", async ({ page, given }) => {
  const path = await fresh(given)
  const held = Promise.withResolvers<void>()
  await page.route("**/assets/FindResults-*.js", async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(path)
  await expect(page.getByRole("button", { name: /^dev/ })).toBeVisible()
  const press = () => page.keyboard.press("ControlOrMeta+k")
  await press()
  await page.keyboard.type("jnek/?", { delay: 0 })
  await expect(field(page)).toHaveValue("jnek/?")
  await press()
  await expect(field(page)).toHaveCount(0)
  await press()
  await expect(field(page)).toHaveValue("")
  await page.keyboard.type("x")
  await page.keyboard.press("Escape")
  await expect(field(page)).toHaveCount(0)
  await press()
  await page.evaluate("navigator.clipboard.writeText('RELIC_K')")
  await page.keyboard.type("neww", { delay: 0 })
  await page.keyboard.press("Backspace")
  await page.keyboard.type("_", { delay: 0 })
  await page.keyboard.press("ControlOrMeta+v")
  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  await expect(field(page)).toHaveValue("new_RELIC_K")
  await expect(page.getByText("Loading…")).toBeVisible()
  await expectPageUntouched(page, path)

  held.resolve()
  await expect(page.getByRole("listitem", { name: "NEW_RELIC_KEY", exact: true })).toBeFocused()
  await expect(field(page)).toHaveCount(0)
})

test("Ctrl+K has the keyboard while the first page is still being loaded", async ({ page, given }) => {
  const path = await fresh(given)
  const held = Promise.withResolvers<void>()
  await page.route("**/assets/CollectionScreen-*.js", async (route) => {
    await held.promise
    await route.continue()
  })
  await page.goto(path, { waitUntil: "commit" })
  await page.waitForSelector("#root > *", { state: "attached" })
  await page.keyboard.press("ControlOrMeta+k")
  await page.keyboard.type("new relic", { delay: 0 })
  await expect(field(page)).toHaveValue("new relic")
  held.resolve()
  await expect(option(page, "new relic")).toBeVisible()
  await expect(field(page)).toHaveValue("new relic")
  await expect(field(page)).toBeFocused()
  await expectPageUntouched(page, path)
})

test(
  "text that is composed is taken over whole, and results that do not load are asked for again",
  long,
  async ({ page, given }) => {
    const path = await fresh(given)
    await page.route("**/assets/FindResults-*.js", (route) => route.abort())
    await page.goto(path)
    await expect(page.getByRole("button", { name: /^dev/ })).toBeVisible()
    await page.keyboard.press("ControlOrMeta+k")
    const session = await page.context().newCDPSession(page)
    await session.send("Input.imeSetComposition", { text: "こん", selectionStart: 2, selectionEnd: 2 })
    await expect(page.getByText("Find could not be loaded.")).toBeVisible()
    await session.send("Input.insertText", { text: "new relic" })
    await expect(field(page)).toHaveValue("new relic")
    await page.unroute("**/assets/FindResults-*.js")
    await page.getByRole("button", { name: "Try again" }).click()
    await expect(option(page, "new relic")).toBeVisible()
    await expect(field(page)).toHaveValue("new relic")
    await expect(field(page)).toBeFocused()
  },
)
