import type { Locator, Page } from "@playwright/test"
import { violations } from "./axe.ts"
import { boxesOf } from "./boxes.ts"
import { expect, expectNotification, type Given, long, test } from "./test.ts"

const many = Array.from({ length: 120 }, (_, at) => ({ name: `NAME_${at}`, value: `value-${at}` }))

async function collection(page: Page, given: Given) {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", many)
  await given.environment(id, "staging", many.slice(0, 2))
  await page.goto(`/collection/${id}`)
  return { id, production: environment(page, "production"), staging: environment(page, "staging") }
}

function environment(page: Page, name: string) {
  const block = page.getByRole("region", { name, exact: true })
  return {
    block,
    toggle: block.getByRole("button", { name: new RegExp(`^${name}`) }),
    row: (item: string) => block.getByRole("listitem", { name: item, exact: true }),
    filter: block.getByLabel("Filter items"),
    tools: block.locator(".items__tools"),
  }
}

test("a long environment fills the window with rows, and its head stays in view", long, async ({ page, given }) => {
  await page.setViewportSize({ width: 1280, height: 800 })
  const { production } = await collection(page, given)
  await production.toggle.click()
  await expect(production.row("NAME_13")).toBeInViewport({ ratio: 1 })
  const [first, tools] = [await box(production.row("NAME_0")), await box(production.tools)]
  expect(first.height).toBe(40)
  expect(first.y).toBeGreaterThanOrEqual(tools.y + tools.height)
  await expect(production.row("NAME_0").getByRole("button", { name: "Save" })).toBeVisible()
  await expect(production.row("NAME_0").getByRole("button", { name: "Delete" })).toBeVisible()

  await production.row("NAME_2").getByLabel("Value").fill("edited")
  await production.row("NAME_13").hover()
  await page.mouse.wheel(0, 1_500)
  await expect(production.row("NAME_45")).toBeInViewport()
  await expect(production.toggle).toBeInViewport({ ratio: 1 })
  await expect(production.filter).toBeInViewport({ ratio: 1 })
  await expect(production.block.getByText("1 unsaved")).toBeInViewport({ ratio: 1 })

  // Focused backwards, a row is not hidden under the head.
  await production.row("NAME_40").getByLabel("Name").focus()
  for (let back = 0; back < 20; back++) await page.keyboard.press("Shift+Tab")
  const focused = await box(page.locator(":focus"))
  const stuck = await box(production.tools)
  expect(focused.y).toBeGreaterThanOrEqual(stuck.y + stuck.height)

  await production.toggle.click()
  await expect(production.toggle).toBeInViewport({ ratio: 1 })
  await expect(production.toggle).toHaveAttribute("aria-expanded", "false")
})

test("the name of an environment is in view beside everything that is said about it", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  const environmentId = await given.environment(id, "production", many.slice(0, 9))
  await given.apiKey(environmentId, "web-server-1")
  const keys = (await (await page.request.get("/api/api-key")).json()) as { data: { key: string }[] }
  await page.request.put(`/api/environments/${environmentId}/protection`, { data: { isProtected: true } })
  const described = [
    { name: "NAME_0", kind: "port" },
    { name: "SENTRY_DSN", isRequired: true },
  ]
  await page.request.post(`/api/collections/${id}/names`, { data: described })
  const headers = { authorization: `Bearer ${keys.data[0]?.key}`, "envkeep-instance": "web-1;1" }
  await page.request.get("/api/v1/variables", { headers })
  await page.request.post("/api/collectionItem", {
    data: { name: "LATER", value: "later-value", subCollectionId: environmentId },
  })
  await page.goto(`/collection/${id}`)
  const head = page.locator(".environment__head")
  await expect(head.getByText("0 of 1 run the new value")).toBeAttached()
  await expect(head.getByText("1 missing, 1 does not fit")).toBeAttached()
  for (const width of [1280, 1180, 1024, 1001, 1000, 769, 768, 375]) {
    await page.setViewportSize({ width, height: 800 })
    const name = "document.querySelector('.environment__name')"
    expect(await page.evaluate<number>(`${name}.scrollWidth - ${name}.clientWidth`), `at ${width}`).toBe(0)
    expect((await box(head)).height, `at ${width}`).toBe(width > 768 ? 44 : 52)
    const boxes = await boxesOf(head.locator(".environment__title, .chip--problems, .chip--instances"))
    for (const [at, { x }] of boxes.entries()) {
      const before = boxes[at - 1]
      if (before !== undefined) expect(x, `at ${width}`).toBeGreaterThanOrEqual(before.x + before.width)
    }
  }
})

test("what is open is in the address: it survives a reload, and can be linked to", async ({ page, given }) => {
  const { id, production, staging } = await collection(page, given)
  await page.goto("/collection/dashboard")
  await page.getByRole("link", { name: /billing/ }).click()
  await expect(staging.toggle).toBeVisible()
  // Two quick clicks, the second before a slow browser has drawn what the first one opens: both count.
  await page.evaluate(`(async () => {
    for (const toggle of document.querySelectorAll(".environment__toggle")) {
      toggle.click()
      for (let turn = 0; turn < 5; turn++) await null
    }
  })()`)
  await page.reload()
  await expect(staging.row("NAME_1")).toBeVisible()
  await expect(production.toggle).toHaveAttribute("aria-expanded", "true")
  await production.toggle.click()
  await expect(production.toggle).toHaveAttribute("aria-expanded", "false")
  const link = page.url()
  // Expanding is no step of its own.
  await page.goBack()
  await expect(page).toHaveURL("/collection/dashboard")

  const sixMore = ["a", "b", "c", "d", "e", "f"].map((name) => given.environment(id, name))
  await Promise.all(sixMore)
  const last = await given.environment(id, "last")
  await page.goto(link)
  await expect(staging.row("NAME_1")).toBeVisible()
  await expect(production.toggle).toHaveAttribute("aria-expanded", "false")
  await page.goto(`/collection/${id}?env=${last}&env=unknown`)
  await expect(environment(page, "last").block.getByText("No items yet")).toBeInViewport({ ratio: 1 })
})

test("a new environment opens in view and offers three ways to fill it", long, async ({ page, given }) => {
  const { production } = await collection(page, given)
  await production.toggle.click()
  const create = page.getByRole("button", { name: "Create environment" })
  await create.click()
  await create.click()
  await expectNotification(page, "Environment name is required")
  expect((await box(page.getByRole("button", { name: "Cancel" }))).y).toBe((await box(create)).y)
  await page.getByLabel("Environment name").fill("preview")
  await create.click()
  await expectNotification(page, "Environment created successfully")
  const preview = environment(page, "preview")
  await expect(preview.toggle).toBeFocused()
  await expect(preview.block).toBeInViewport({ ratio: 1 })

  await preview.block.getByRole("button", { name: "Paste .env" }).click()
  await expect(page.getByLabel("Text to import")).toBeVisible()
  await page.getByRole("button", { name: "Cancel" }).click()
  await preview.block.getByRole("button", { name: "Add one" }).click()
  await expect(preview.block.getByLabel("Name")).toBeFocused()
  await preview.block.getByRole("button", { name: "Copy from…" }).click()
  const dialog = page.getByRole("dialog", { name: "Copy items" })
  await expect(dialog.getByLabel("To", { exact: true })).toHaveValue(/\d+/)
  await dialog.getByLabel("From", { exact: true }).selectOption("staging")
  await dialog.getByRole("button", { name: "Copy 2 items" }).click()
  await expectNotification(page, "Items copied successfully")
  await expect(preview.row("NAME_1").getByLabel("Value")).toHaveValue("value-1")
  await expect(preview.toggle).toContainText("2 items")
})

test("a filter that finds nothing says so, and never hides an unsaved row", long, async ({ page, given }) => {
  const { production } = await collection(page, given)
  await production.toggle.click()
  await production.row("NAME_3").getByLabel("Value").fill("edited")
  await production.filter.fill("nothing like this")
  await expect(production.block.getByText("0 of 120")).toBeVisible()
  await expect(production.block.getByText("No item has a name with this text.")).toBeVisible()
  await expect(production.row("NAME_3").getByLabel("Value")).toHaveValue("edited")
  await production.row("NAME_3").getByRole("button", { name: "Undo edits" }).click()
  await expect(production.row("NAME_3")).toHaveCount(0)
  await production.block.getByRole("button", { name: "Clear filter" }).click()
  await expect(production.filter).toBeFocused()
  await expect(production.row("NAME_0")).toBeVisible()

  await production.filter.fill("NAME_119")
  await production.block.getByLabel("Name").first().fill("OTHER")
  await production.block.getByLabel("Value").first().fill("just-added")
  await production.block.getByRole("button", { name: "Add item" }).click()
  await expectNotification(page, "Item created successfully")
  await expect(production.filter).toHaveValue("")
})

test.describe("on a phone", () => {
  test.use({ viewport: { width: 375, height: 800 } })

  test("a row has two lines, and everything in the list is large enough for a thumb", async ({ page, given }) => {
    const { production } = await collection(page, given)
    await production.toggle.click()
    const row = production.row("NAME_0")
    const [name, value] = [await box(row.getByLabel("Name")), await box(row.getByLabel("Value"))]
    const [save, show] = [await box(row.getByRole("button", { name: "Save" })), await box(row.getByText("Show value"))]
    expect(value.y).toBeGreaterThanOrEqual(name.y + name.height)
    expect(save.y).toBe(name.y)
    expect(show.y).toBeGreaterThanOrEqual(value.y)
    await row.getByLabel("Value").fill("edited")
    const small = await page.evaluate<string[]>(`
      [...document.querySelectorAll(".page :is(button, input, textarea)")].filter((control) => {
        // One is for the keyboard only, and one is seen only while it has the focus.
        if (!control.checkVisibility() || control.matches(".skip-items")) return false
        const { width, height } = control.getBoundingClientRect()
        return width < 44 || height < 44
      }).map((control) => control.outerHTML)`)
    expect(small).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0)
    await expectAccessible(page)
  })

  test("the filter can be read beside its count, also at 320 px", long, async ({ page, given }) => {
    const { production } = await collection(page, given)
    await production.toggle.click()
    await production.filter.fill("NAME_1")
    await expect(production.block.getByText("31 of 120")).toBeVisible()
    for (const width of [375, 320]) {
      await page.setViewportSize({ width, height: 800 })
      expect((await box(production.filter)).width, `at ${width} px`).toBeGreaterThan(90)
      const [tools, last] = [await box(production.tools), await box(production.tools.getByText("Show all values"))]
      expect(last.x + last.width).toBeLessThanOrEqual(tools.x + tools.width)
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0)
    }
  })

  test("the actions of an environment are in a sheet with their names", long, async ({ page, given }) => {
    const { staging } = await collection(page, given)
    const open = staging.block.getByRole("button", { name: "Actions" })
    await open.click()
    const sheet = page.getByRole("dialog", { name: "staging" })
    await expect(sheet.getByRole("button")).toHaveText([
      "",
      "Import",
      "Export",
      "Edit raw values",
      "Manage API keys",
      "History",
      "Copy to…",
      "Edit name",
      "Inherit from…",
      "Protect",
      "Delete environment",
    ])
    await expectAccessible(page)
    await sheet.getByRole("button", { name: "Export" }).click()
    await page.getByRole("button", { name: /^Docker/ }).click()
    await expect(page.getByRole("dialog", { name: "Export staging: Docker" })).toBeVisible()
    await page.keyboard.press("Escape")
    await expect(open).toBeFocused()
    await open.click()
    await sheet.getByRole("button", { name: "Edit name" }).click()
    await expect(staging.block.getByLabel("Name", { exact: true })).toBeFocused()
  })
})

async function box(element: Locator) {
  return (await element.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
}

async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) expect(await violations(page, colorScheme)).toEqual([])
}
