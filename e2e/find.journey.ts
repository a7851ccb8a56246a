import type { Page, Request } from "@playwright/test"
import { chooseMore, expect, type Given, long, test } from "./test.ts"

const items = Array.from({ length: 300 }, (_, n) => ({ name: `NAME_${n}`, value: `value ${n}` }))

async function twoCollections(given: Given) {
  await given.user()
  const billing = await given.collection("billing")
  const staging = await given.environment(billing, "staging", [{ name: "NAME_299", value: "another value" }])
  const production = await given.environment(billing, "production", items)
  await given.environment(await given.collection("storefront"), "preview")
  return { billing, staging, production }
}

const field = (page: Page) => page.getByRole("combobox", { name: "Find" })
// A select of the page behind has options too.
const results = (page: Page) => page.getByRole("listbox", { name: "Results" })
const option = (page: Page, name: string | RegExp) => results(page).getByRole("option", { name })
const activeOption = (page: Page) => results(page).getByRole("option", { selected: true })

test("a variable is found and opened at its row, with the keyboard alone", async ({ page, given }) => {
  const { billing, staging, production } = await twoCollections(given)
  await page.goto("/collection/dashboard")
  await expect(page.getByRole("heading", { name: "Collections" })).toBeVisible()
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("name_2")
  await expect(page.getByRole("group", { name: "Variables" })).toContainText("20 of 112")
  await page.keyboard.type("99")
  await expect(results(page).getByRole("option")).toHaveText([/NAME_299\s*in 2 environments/])
  await page.keyboard.press("Enter")
  await expect(results(page).getByRole("option")).toHaveText([/staging\s*billing/, /production\s*billing/])
  await page.keyboard.press("Escape")
  await expect(results(page).getByRole("option")).toHaveText([/NAME_299\s*in 2 environments/])
  await page.keyboard.press("Enter")
  await expect(activeOption(page)).toContainText("staging")
  await page.keyboard.press("ArrowUp")
  await expect(activeOption(page)).toContainText("production")
  await expect(field(page)).toHaveAttribute(
    "aria-activedescendant",
    (await activeOption(page).getAttribute("id")) ?? "",
  )
  await page.keyboard.press("Enter")

  const row = page.getByRole("region", { name: "production" }).getByRole("listitem", { name: "NAME_299", exact: true })
  await expect(row).toBeFocused()
  await expect(row).toBeInViewport({ ratio: 1 })
  await expect(page).toHaveURL(`/collection/${billing}?env=${production}`)

  // On the same page: the filter that hides it is cleared, and what is open stays open.
  await page.getByRole("region", { name: "production" }).getByLabel("Filter items").fill("NAME_1")
  await page.keyboard.press("ControlOrMeta+k")
  await expect(activeOption(page)).toHaveText(/NAME_299\s*billing \/ production/)
  await expect(field(page)).toBeFocused()
  // Faster than the answer.
  await page.keyboard.type("name_42")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("listitem", { name: "NAME_42", exact: true })).toBeFocused()
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type("STAG")
  await option(page, "staging").click()
  await expect(page).toHaveURL(`/collection/${billing}?env=${production}&env=${staging}`)
})

test("a late answer never replaces that for a newer text", async ({ page, given }) => {
  await twoCollections(given)
  const late = Promise.withResolvers<void>()
  const asksForPro = (request: Request) => request.url().endsWith("/api/find") && request.postDataJSON().text === "pro"
  const answered = page.waitForResponse((response) => asksForPro(response.request()))
  await page.route("**/api/find", async (route) => {
    if (asksForPro(route.request())) await late.promise
    await route.continue()
  })
  await page.goto("/collection/dashboard")
  await page.getByRole("button", { name: "Find" }).click()
  const first = page.waitForRequest(asksForPro)
  await field(page).fill("pro")
  await first
  await field(page).fill("storef")
  await expect(option(page, "storefront")).toBeVisible()
  late.resolve()
  await answered
  await field(page).fill("storefr")
  await expect(results(page).getByRole("option")).toHaveText(["storefront"])
  await field(page).fill("no such thing")
  await expect(page.getByText("Nothing in your reach has a name with this text.")).toBeVisible()

  await page.unroute("**/api/find")
  await page.route("**/api/find", (route) => route.abort())
  await field(page).fill("billing")
  await expect(page.getByText("The search failed.")).toBeVisible()
  await page.unroute("**/api/find")
  await page.keyboard.press("Enter")
  await expect(option(page, "billing")).toBeVisible()
})

test("Ctrl+K keeps what is typed in a field, and leaves dialogs alone", async ({ page, given }) => {
  const { billing, production } = await twoCollections(given)
  await page.goto(`/collection/${billing}?env=${production}`)
  const block = page.getByRole("region", { name: "production" })
  const name = block.getByRole("form", { name: "Add item" }).getByLabel("Name")
  await name.fill("NEW_NAME")
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(field(page)).toHaveCount(0)
  await expect(name).toBeFocused()
  await expect(name).toHaveValue("NEW_NAME")
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toHaveCount(0)
  await name.fill("")

  await chooseMore(block, "Delete")
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.keyboard.press("ControlOrMeta+k")
  await page.getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByRole("dialog")).toHaveCount(0)
})

/** Clicks "Find" as soon as the address has changed, before the page of that address is rendered. */
const clickWithNextAddress = `{
  const push = history.pushState
  history.pushState = (...entry) => {
    push.apply(history, entry)
    document.querySelector('button[title="Find"]').click()
  }
}`

test(
  "the search stays open while the next page is rendered, and the back button closes it",
  long,
  async ({ page, given }) => {
    const { billing } = await twoCollections(given)
    await page.goto("/collection/dashboard")
    await page.evaluate(clickWithNextAddress)
    await page.getByRole("link", { name: "billing" }).first().click()
    await expect(page).toHaveURL(`/collection/${billing}`)
    await expect(page.getByRole("region", { name: "production", includeHidden: true })).toBeVisible()
    await expect(field(page)).toBeFocused()
    await page.goBack()
    await expect(field(page)).toHaveCount(0)
  },
)

for (const width of [1280, 375]) {
  test(`actions are chosen by their names, at ${width} px`, long, async ({ page, given }) => {
    await page.setViewportSize({ width, height: 800 })
    const { billing, staging, production } = await twoCollections(given)
    await page.goto(`/collection/${billing}`)
    const choose = async (text: string, action: string) => {
      await page.getByRole("button", { name: "Find" }).click()
      await field(page).fill(text)
      // First what fits this page, then the same in other collections.
      await option(page, action).first().click()
      await expect(field(page)).toHaveCount(0)
    }
    await choose("keys prod", "API keys of production")
    await expect(page.getByRole("dialog").getByText("No API Keys")).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await choose("export stag", "Export staging")
    await expect(page.getByRole("dialog")).toContainText("NAME_299")
    await page.keyboard.press("Escape")
    await choose("theme", "Switch to dark mode")
    await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark")
    await choose("create env", "Create environment")
    await expect(page.getByLabel("Environment name")).toBeFocused()
    await expect(page).toHaveURL(`/collection/${billing}?env=${production}&env=${staging}`)
    await choose("sharing", "Sharing")
    await expect(page).toHaveURL(`/collection/${billing}/sharing`)
    await choose("new coll", "Create collection")
    await expect(page).toHaveURL("/collection/new")
    await choose("log out", "Log out")
    await expect(page).toHaveURL("/login")
    await expect(page.getByRole("button", { name: "Find" })).toHaveCount(0)
    await page.keyboard.press("ControlOrMeta+k")
    await expect(field(page)).toHaveCount(0)
  })
}
