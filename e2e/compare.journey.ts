import type { Browser, Page } from "@playwright/test"
import { cellAt } from "./grid.ts"
import { expect, expectNotification, type Given, long, password, test } from "./test.ts"

const editor = (page: Page) => page.getByRole("textbox", { name: / in (development|production)$/ })

async function twoEnvironments(given: Given) {
  const user = await given.user()
  const id = await given.collection("billing-api")
  const development = await given.environment(id, "development", [
    { name: "DATABASE_URL", value: "postgres-development" },
    { name: "LOG_LEVEL", value: "debug-everything" },
    { name: "ONLY_HERE", value: "first-line\nsecond-line" },
  ])
  const production = await given.environment(id, "production", [
    { name: "DATABASE_URL", value: "postgres-production" },
    { name: "LOG_LEVEL", value: "debug-everything" },
  ])
  return { ...user, id, development, production }
}

async function stored(page: Page, environmentId: number): Promise<Record<string, string>> {
  const { data } = await (await page.request.get(`/api/subcollection/${environmentId}`)).json()
  return Object.fromEntries(
    data.collectionItems.map((item: { name: string; value: string }) => [item.name, item.value]),
  )
}

test("the keyboard alone reads, edits, adds, deletes and undoes in the grid", async ({ page, given }) => {
  const { id, development, production } = await twoEnvironments(given)
  await page.goto(`/collection/${id}`)
  await page.getByRole("link", { name: "Compare" }).focus()
  await page.keyboard.press("Enter")
  const grid = page.getByRole("grid", { name: "Variables by environment" })
  await expect(grid).toHaveAttribute("aria-rowcount", "4")
  await expect(grid).toHaveAttribute("aria-colcount", "3")
  await expect(cellAt(page, "DATABASE_URL", 1)).toHaveAccessibleName(/different from the others/)
  await expect(cellAt(page, "LOG_LEVEL", 2)).toHaveAccessibleName(/same in all environments that have it/)
  await expect(cellAt(page, "ONLY_HERE", 2)).toContainText("Missing")

  // The grid is one stop of the Tab key.
  await page.getByRole("radio", { name: /^All/ }).focus()
  await page.keyboard.press("Tab")
  await expect(cellAt(page, "DATABASE_URL", 1)).toBeFocused()
  await expect(grid).not.toContainText("postgres-development")
  await page.keyboard.press("Space")
  await expect(cellAt(page, "DATABASE_URL", 1)).toContainText("postgres-development")
  await page.keyboard.press("Shift+Space")
  await expect(cellAt(page, "DATABASE_URL", 2)).toContainText("postgres-production")

  await page.keyboard.press("ArrowDown")
  await page.keyboard.press("ArrowRight")
  await expect(cellAt(page, "LOG_LEVEL", 2)).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(editor(page)).toHaveValue("debug-everything")
  await page.keyboard.type("-dropped")
  await page.keyboard.press("Escape")
  await expect(cellAt(page, "LOG_LEVEL", 2)).toBeFocused()
  expect((await stored(page, production))["LOG_LEVEL"]).toBe("debug-everything")

  // Tab saves and moves on; Enter saves and stays.
  await page.keyboard.press("ArrowLeft")
  await page.keyboard.press("Enter")
  await page.keyboard.press("ControlOrMeta+a")
  await page.keyboard.type("warnings-only")
  await page.keyboard.press("Tab")
  await expectNotification(page, "Item updated successfully")
  await expect(cellAt(page, "LOG_LEVEL", 2)).toBeFocused()
  await expect(cellAt(page, "LOG_LEVEL", 2)).toHaveAccessibleName(/different from the others/)
  expect((await stored(page, development))["LOG_LEVEL"]).toBe("warnings-only")

  await page.keyboard.press("ControlOrMeta+End")
  await expect(cellAt(page, "ONLY_HERE", 2)).toBeFocused()
  await page.keyboard.press("Enter")
  await page.keyboard.type("added-first")
  await page.keyboard.press("Shift+Enter")
  await page.keyboard.type("added-second")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Item created successfully")
  await expect(cellAt(page, "ONLY_HERE", 2)).toBeFocused()
  expect((await stored(page, production))["ONLY_HERE"]).toBe("added-first\nadded-second")

  await page.keyboard.press("Delete")
  await expect(cellAt(page, "ONLY_HERE", 2)).toContainText("Missing")
  await expect(cellAt(page, "ONLY_HERE", 2)).toBeFocused()
  await page.keyboard.press("ControlOrMeta+z")
  await expect(cellAt(page, "ONLY_HERE", 2)).not.toContainText("Missing")
  expect((await stored(page, production))["ONLY_HERE"]).toBe("added-first\nadded-second")

  // Everything is in the menu of a cell too.
  await page.keyboard.press("Shift+F10")
  await page.getByRole("menuitem", { name: "History" }).focus()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("dialog", { name: "History of ONLY_HERE" })).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(cellAt(page, "ONLY_HERE", 2)).toBeFocused()
  await page.keyboard.press("Shift+F10")
  await expect(page.getByRole("menuitem", { name: "Edit" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(editor(page)).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(cellAt(page, "ONLY_HERE", 2)).toBeFocused()

  // The head is part of the grid: its menu moves and hides columns, which is remembered.
  await page.keyboard.press("ControlOrMeta+Home")
  await page.keyboard.press("ArrowUp")
  await page.keyboard.press("ArrowRight")
  await expect(page.getByRole("columnheader", { name: /^development/ })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByRole("menuitem", { name: "Move right" })).toBeFocused()
  await page.keyboard.press("Enter")
  const heads = page.getByRole("columnheader")
  await expect(heads.nth(1)).toContainText("production")
  await expect(page.getByRole("columnheader", { name: /^development/ })).toBeFocused()
  await page.reload()
  await expect(heads.nth(1)).toContainText("production")

  // A new name gets a row, and its first value is typed at once.
  await expect(cellAt(page, "DATABASE_URL", 1)).toBeVisible()
  await page.keyboard.press("n")
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused()
  await page.keyboard.type("NEW_NAME")
  await page.keyboard.press("Enter")
  await expect(editor(page)).toBeFocused()
  await page.keyboard.type("new-value")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Item created successfully")
  await expect(cellAt(page, "NEW_NAME", 1)).toBeFocused()
  expect((await stored(page, production))["NEW_NAME"]).toBe("new-value")

  await page.keyboard.press("/")
  await page.keyboard.type("only")
  await expect(page.getByText("1 of 4")).toBeVisible()
  await expect(grid).toHaveAttribute("aria-rowcount", "2")
})

async function colleagueOf(browser: Browser, baseURL: string | undefined, email: string): Promise<Page> {
  const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) })
  const colleague = await context.newPage()
  await colleague.request.post("/api/users/login", { data: { email, password } })
  return colleague
}

test(
  "what others change arrives in the grid, and never over what is being typed",
  long,
  async ({ page, given, browser, baseURL }) => {
    const { id, email, username, production } = await twoEnvironments(given)
    const colleague = await colleagueOf(browser, baseURL, email)
    for (const one of [page, colleague]) {
      const live = one.waitForResponse("**/live")
      await one.goto(`/collection/${id}/compare`)
      await live
      await one.getByRole("button", { name: "Show all values" }).click()
    }
    const change = async (value: string) => {
      await cellAt(colleague, "LOG_LEVEL", 2).dblclick()
      await editor(colleague).fill(value)
      await editor(colleague).press("Enter")
      await expectNotification(colleague, "Item updated successfully")
    }
    await change("colleague-first")
    await expect(cellAt(page, "LOG_LEVEL", 2)).toContainText("colleague-first")

    await cellAt(page, "LOG_LEVEL", 2).dblclick()
    await editor(page).fill("half-typed")
    await change("colleague-second")
    const conflict = page.getByRole("group", { name: "Conflict over LOG_LEVEL" })
    await expect(conflict.getByText(`Changed by ${username} just now`)).toBeVisible()
    await expect(conflict.getByText("colleague-second")).toBeVisible()
    await expect(editor(page)).toHaveValue("half-typed")

    // Saving over it is refused until the user has chosen.
    await editor(page).press("Enter")
    await expectNotification(
      page,
      "This item has changed since you loaded it. Nothing was saved; compare both values and try again",
    )
    expect((await stored(page, production))["LOG_LEVEL"]).toBe("colleague-second")
    await editor(page).press("Tab")
    await expect(conflict.getByRole("button", { name: "Take theirs" })).toBeFocused()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item updated successfully")
    await expect(cellAt(page, "LOG_LEVEL", 2)).toBeFocused()
    expect((await stored(page, production))["LOG_LEVEL"]).toBe("half-typed")
    await colleague.context().close()
  },
)

test("a phone shows one name at a time", async ({ page, given }) => {
  const { id, production } = await twoEnvironments(given)
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto(`/collection/${id}/compare`)
  const name = (text: string) => page.getByRole("region", { name: text })
  await expect(name("DATABASE_URL")).toBeVisible()
  await page.getByRole("button", { name: "Next name" }).click()
  await expect(name("LOG_LEVEL")).toBeVisible()
  await page.getByRole("button", { name: "2 of 3" }).click()
  await page.getByRole("button", { name: "ONLY_HERE" }).click()
  await page.getByRole("button", { name: "Add: production" }).click()
  await expect(editor(page)).toBeFocused()
  await editor(page).fill("typed-on-a-phone")
  await page.getByRole("dialog").getByRole("button", { name: "Add" }).click()
  await expectNotification(page, "Item created successfully")
  expect((await stored(page, production))["ONLY_HERE"]).toBe("typed-on-a-phone")
})

test("no long name or value makes a page of a phone wider or endless", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection(`collection-${"x".repeat(80)}`)
  const lines = Array.from({ length: 2_000 }, (_, at) => `line ${at}`).join("\n")
  const first = await given.environment(id, `first-${"y".repeat(90)}`, [{ name: "N".repeat(200), value: lines }])
  await given.environment(id, `second-${"z".repeat(90)}`, [{ name: "N".repeat(200), value: "two" }])
  await page.setViewportSize({ width: 375, height: 800 })
  for (const place of ["", "/compare", "/names", "/activity", "/sharing", "/webhooks", `/history/${first}`]) {
    await page.goto(`/collection/${id}${place}`)
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
    await page.waitForLoadState("networkidle")
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth"), place).toBe(0)
  }
  await page.goto(`/collection/${id}/compare`)
  await page.getByRole("button", { name: "Show all values" }).click()
  await expect(page.getByText("line 20")).toBeVisible()
  expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThan(4_000)
})
