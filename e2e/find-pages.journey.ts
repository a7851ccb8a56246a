import type { Page } from "@playwright/test"
import { expect, type Given, long, test } from "./test.ts"

// Lists that are longer than what the server answers at once, and names that are in several environments.

const field = (page: Page) => page.getByRole("combobox", { name: "Find" })
const results = (page: Page) => page.getByRole("listbox", { name: "Results" })
const variables = (page: Page) => results(page).getByRole("group", { name: "Variables" })
const options = (page: Page) => results(page).getByRole("option")
const active = (page: Page) => results(page).getByRole("option", { selected: true })

async function openFind(page: Page, text: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k")
  await expect(field(page)).toBeFocused()
  await page.keyboard.type(text)
}

async function manyNames(given: Given): Promise<string> {
  await given.user()
  const id = await given.collection("billing")
  const names = Array.from({ length: 130 }, (_, n) => `NAME_${String(n).padStart(3, "0")}`)
  await given.environment(
    id,
    "production",
    names.map((name) => ({ name, value: `value of ${name}` })),
  )
  await given.environment(id, "staging", [{ name: "NAME_000", value: "another value" }])
  return `/collection/${id}`
}

for (const width of [1280, 375]) {
  test(`every result of a long list can be reached, at ${width} px`, long, async ({ page, given }) => {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(await manyNames(given))
    await expect(page.getByRole("button", { name: /^production/ })).toBeVisible()
    await openFind(page, "name_")
    const more = options(page).filter({ hasText: "Show more" })
    // The first name is in both environments.
    await expect(variables(page)).toContainText("21 of 131")
    await expect(options(page)).toHaveCount(21)

    // With the keyboard: the first of those that came is active, and the text and the focus stay.
    await page.keyboard.press("ArrowUp")
    await expect(active(page)).toContainText("Show more")
    await page.keyboard.press("Enter")
    await expect(active(page)).toHaveText(/NAME_020/)
    await expect(active(page)).toBeInViewport({ ratio: 1 })
    await expect(variables(page)).toContainText("121 of 131")
    await expect(field(page)).toHaveValue("name_")
    await expect(field(page)).toBeFocused()

    // With a click: nothing is left then, and nothing is listed twice.
    await more.click()
    await expect(active(page)).toHaveText(/NAME_120/)
    await expect(more).toHaveCount(0)
    const listed = await options(page).allTextContents()
    expect(listed.map((text) => /NAME_\d{3}/.exec(text)?.[0])).toEqual(
      Array.from({ length: 130 }, (_, n) => `NAME_${String(n).padStart(3, "0")}`),
    )
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect(page.getByRole("listitem", { name: "NAME_119", exact: true })).toBeFocused()
  })
}

test("a name in many environments is one result, whose places are listed in parts", long, async ({ page, given }) => {
  await given.user()
  const ids = []
  for (const name of ["billing", "storefront"]) {
    const id = await given.collection(name)
    ids.push(id)
    for (let n = 0; n < 12; n++) await given.environment(id, `stage-${n}`, [{ name: "SHARED_NAME", value: `${n}` }])
  }
  await page.goto(`/collection/${ids[1]}`)
  await expect(page.getByRole("button", { name: /^stage-0/ })).toBeVisible()
  await openFind(page, "shared")
  await expect(options(page)).toHaveText([/SHARED_NAME\s*in 24 environments/])
  await options(page).first().click()
  const places = results(page).getByRole("group", { name: "SHARED_NAME in 24 environments" })
  await expect(places).toContainText("20 of 24")
  // Those of the page behind come first.
  await expect(active(page)).toHaveText(/stage-\d+\s*storefront/)
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("Enter")
  await expect(options(page)).toHaveCount(24)
  await expect(active(page)).toHaveText(/stage-\d+\s*billing/)

  // Back by the button as with Escape, and typing leaves the places too.
  await page.getByRole("button", { name: "All results" }).click()
  await expect(options(page)).toHaveText([/SHARED_NAME\s*in 24 environments/])
  await expect(field(page)).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(places).toBeVisible()
  await page.keyboard.type("_n")
  await expect(options(page)).toHaveText([/SHARED_NAME\s*in 24 environments/])
  await expect(page.getByRole("button", { name: "All results" })).toHaveCount(0)

  await page.keyboard.press("Enter")
  await places.getByRole("option").first().click()
  await expect(page).toHaveURL(new RegExp(`/collection/${ids[1]}\\?env=\\d+$`))
  await expect(page.getByRole("listitem", { name: "SHARED_NAME", exact: true })).toBeFocused()
})

test("a search that fails says so, also below actions that match", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection("storefront")
  await given.environment(id, "production")
  await page.goto("/collection/dashboard")
  await expect(page.getByRole("heading", { name: "storefront" })).toBeVisible()
  await page.route("**/api/find", (route) => route.abort())
  await openFind(page, "stor")
  await expect(options(page).filter({ hasText: "History of production" })).toBeVisible()
  await expect(page.getByRole("alert").filter({ hasText: "The search failed." })).toBeVisible()
  await page.unroute("**/api/find")
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(options(page).first()).toHaveText("storefront")
  await expect(page.getByText("The search failed.")).toHaveCount(0)
  await expect(field(page)).toBeFocused()
})
