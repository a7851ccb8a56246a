import { codeOf, nextCodeOf } from "@envkeep/testing/authenticator.ts"
import type { Browser, Page } from "@playwright/test"
import { cellAt } from "./grid.ts"
import { setVisibility } from "./tab.ts"
import { expect, expectNotification, type Given, long, password, test } from "./test.ts"

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const masked = ["-webkit-text-security", "disc"] as const
const shown = ["-webkit-text-security", "none"] as const

/** Hides the tab for so long, and shows it again. */
async function leaveFor(page: Page, ms: number): Promise<void> {
  await setVisibility(page, "hidden")
  await page.clock.fastForward(ms)
  await setVisibility(page, "visible")
}

/** Beside the page, with a clock of its own. */
async function openTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.clock.install()
  await tab.goto(path)
  return tab
}

async function billing(given: Given) {
  const user = await given.user()
  const id = await given.collection("billing-api")
  const production = await given.environment(id, "production", [{ name: "TOKEN", value: "a-value-to-lose" }])
  const staging = await given.environment(id, "staging", [{ name: "TOKEN", value: "another-to-lose" }])
  return { ...user, id, production, staging }
}

/** Ends all sessions of the user but the one that this makes. */
async function endSessions(browser: Browser, baseURL: string | undefined, email: string, code?: string): Promise<void> {
  const other = await browser.newContext(baseURL === undefined ? {} : { baseURL })
  await other.request.post("/api/users/login", { data: { email, password } })
  if (code !== undefined) await other.request.post("/api/users/login/code", { data: { code } })
  await other.request.post("/api/users/me/sessions/end-others", { data: {} })
  await other.close()
}

test("fields that show values on their own are masked after a minute without use, and lose nothing", async ({
  page,
  given,
}) => {
  const { id, production } = await billing(given)
  await page.clock.install()
  await page.goto(`/collection/${id}/compare`)
  await cellAt(page, "TOKEN").dblclick()
  const editor = page.getByRole("textbox", { name: "TOKEN in production" })
  await editor.fill("half-typed")
  await expectMaskedInTime(page, editor)
  await expect(editor).toHaveValue("half-typed")
  await page.getByRole("button", { name: "Cancel" }).click()

  await page.goto(`/collection/${id}?env=${production}`)
  const block = page.getByRole("region", { name: "production", exact: true })
  const added = block.getByRole("form", { name: "Add item" }).getByLabel("Value")
  await added.fill("half-typed")
  await expectMaskedInTime(page, added)
  await added.fill("")

  await block.getByRole("button", { name: "Edit raw values" }).click()
  const raw = page.getByRole("textbox", { name: "Raw values" })
  await expect(raw).toHaveValue("TOKEN=a-value-to-lose\n")
  await expectMaskedInTime(page, raw)
  await page.keyboard.press("Escape")
  await expect(raw).toHaveCount(0)

  await block.getByRole("button", { name: "Import" }).click()
  const pasted = page.getByLabel("Text to import")
  await pasted.fill("OTHER=half-typed")
  await expectMaskedInTime(page, pasted)
})

async function expectMaskedInTime(page: Page, field: ReturnType<Page["getByLabel"]>): Promise<void> {
  await field.focus()
  await expect(field).toHaveCSS(...shown)
  await page.clock.fastForward(55 * secondMs)
  await expect(field).toHaveCSS(...shown)
  await page.clock.fastForward(6 * secondMs)
  await expect(field).toHaveCSS(...masked)
  await expect(field).not.toBeFocused()
  await field.focus()
  await expect(field).toHaveCSS(...shown)
}

test(
  "a maintainer who loses a collection loses every page of it, however long it has been open",
  long,
  async ({ page: ann, given, browser, baseURL }) => {
    test.slow()
    const { username, email } = await given.account()
    const { id, production } = await billing(given)
    await given.apiKey(production, "web-server-1")
    const post = async (path: string, data: unknown) => (await ann.request.post(`/api${path}`, { data })).json()
    await post(`/collections/${id}/webhooks`, { url: "http://127.0.0.1:1/hooks/T0000", isEnabled: false })
    const { data: webhooks } = await (await ann.request.get(`/api/collections/${id}/webhooks`)).json()
    const { data: collection } = await (await ann.request.get(`/api/collection/${id}`)).json()
    const { data: member } = await post(`/collections/${id}/members`, { who: username, role: "maintainer" })
    const keyId = collection.subCollections[0].apiKeys[0].id

    const context = await browser.newContext(baseURL === undefined ? {} : { baseURL })
    await context.request.post("/api/users/login", { data: { email, password } })
    const settings = ["/names", "/webhooks", `/webhooks/${webhooks[0].id}`, "/activity", "/trash"]
    const paths = [...settings, `/api-key/${keyId}/leak`, "", ""]
    const screens: Page[] = []
    for (const path of paths) {
      const screen = await context.newPage()
      await screen.clock.install()
      // The tabs share one stream.
      const followed = screens.length === 0 ? screen.waitForResponse(/\/live$/) : undefined
      await screen.goto(`/collection/${id}${path}`)
      await expect(screen.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible()
      await followed
      screens.push(screen)
    }
    await screens[0]?.getByLabel("Description of TOKEN").fill("half-typed")
    const [raw, keys] = screens.slice(-2) as [Page, Page]
    const block = (screen: Page) => screen.getByRole("region", { name: "production", exact: true })
    await block(raw).getByRole("button", { name: "Edit raw values" }).click()
    await raw.getByRole("textbox", { name: "Raw values" }).fill("TOKEN=a-value-to-lose\nMORE=half-typed")
    await block(keys).getByRole("button", { name: "API keys" }).click()
    await keys.getByRole("listitem", { name: "web-server-1" }).getByRole("button", { name: "Use" }).click()
    await expect(keys.getByText(/ek_\w{20}/).first()).toBeVisible()
    for (const screen of screens) await screen.clock.fastForward(2 * hourMs)

    await ann.request.delete(`/api/collections/${id}/members/${member.userId}`)

    for (const screen of screens) {
      await expect(screen).toHaveURL("/collection/dashboard")
      await expectNotification(screen, "billing-api is no longer available: it was deleted, or your access has ended")
      await expect(screen.getByRole("dialog")).toHaveCount(0)
      await expect(screen.getByText(/to-lose|half-typed|TOKEN|T0000|billing-api|web-server-1|ek_/)).toHaveCount(0)
    }
    await context.close()
  },
)

test("a tab that comes back after hours, without access or session, shows no value", async ({
  page,
  given,
  browser,
  baseURL,
}) => {
  const { email, id, production } = await billing(given)
  const rows = await openTab(page, `/collection/${id}?env=${production}`)
  const row = rows.getByRole("listitem", { name: "TOKEN" })
  await row.getByRole("button", { name: "Show value" }).click()
  await row.getByLabel("Value").fill("a-value-to-lose-too")
  const token = await openTab(page, "/user/dashboard")
  await token.getByRole("button", { name: "New token" }).click()
  await token.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("laptop")
  await token.getByRole("dialog").getByRole("button", { name: "Create token" }).click()
  await expect(token.getByText(/^ept_\w{46}$/)).toBeVisible()
  for (const tab of [rows, token]) await setVisibility(tab, "hidden")

  await endSessions(browser, baseURL, email)
  for (const tab of [rows, token]) {
    await tab.clock.fastForward(8 * hourMs)
    await setVisibility(tab, "visible")
    await expectNotification(tab, "Please log in first")
    await expect(tab).toHaveURL("/login")
    await expect(tab.getByRole("dialog")).toHaveCount(0)
    expect(await tab.content()).not.toMatch(/to-lose|ept_/)
  }
})

test(
  "an API key and recovery codes that are shown are gone when the session has ended",
  long,
  async ({ page, given, browser, baseURL }) => {
    const { email, id, production } = await billing(given)
    await given.apiKey(production, "web-server-1")
    const { data } = await (await page.request.post("/api/users/me/totp", { data: {} })).json()
    await page.request.post("/api/users/me/totp/confirm", { data: { code: codeOf(data.secret) } })
    const codes = await openTab(page, "/user/dashboard")
    await codes.getByRole("button", { name: "Make new recovery codes" }).click()
    await codes.getByRole("button", { name: "Make new codes" }).click()
    const [code = ""] = await codes.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").allInnerTexts()
    const keys = await openTab(page, `/collection/${id}?env=${production}`)
    await keys.getByRole("button", { name: "API keys" }).first().click()
    await keys.getByRole("listitem", { name: "web-server-1" }).getByRole("button", { name: "Use" }).click()
    await expect(keys.getByText(/ek_\w{20}/).first()).toBeVisible()
    for (const tab of [codes, keys]) await setVisibility(tab, "hidden")

    await endSessions(browser, baseURL, email, nextCodeOf(data.secret))
    for (const tab of [codes, keys]) {
      await tab.clock.fastForward(8 * hourMs)
      await setVisibility(tab, "visible")
      await expect(tab).toHaveURL("/login")
      await expect(tab.getByRole("dialog")).toHaveCount(0)
      expect(await tab.content()).not.toMatch(/ek_\w/)
      expect(await tab.content()).not.toContain(code)
    }
  },
)

test(
  "the page of names shows after hours what others have said, and keeps what is half typed",
  long,
  async ({ page, given }) => {
    const { id, production } = await billing(given)
    await page.request.post(`/api/subcollection/${production}/bulk`, {
      data: [
        { name: "TOKEN", value: "a-value-to-lose" },
        { name: "PORT", value: "8080-and-more" },
      ],
    })
    await page.clock.install()
    await page.goto(`/collection/${id}/names`)
    await page.getByLabel("Description of TOKEN").fill("half-typed")
    await setVisibility(page, "hidden")
    await page.request.post(`/api/collections/${id}/names`, { data: [{ name: "PORT", description: "by another one" }] })
    await page.clock.fastForward(8 * hourMs)
    await setVisibility(page, "visible")
    await expect(page.getByLabel("Description of PORT")).toHaveValue("by another one")
    await expect(page.getByLabel("Description of TOKEN")).toHaveValue("half-typed")
  },
)

test("what Find has found is gone when access to it is lost", long, async ({ page: ann, given, browser, baseURL }) => {
  const { username, email } = await given.account()
  const { id } = await billing(given)
  const { data: member } = await (
    await ann.request.post(`/api/collections/${id}/members`, { data: { who: username, role: "viewer" } })
  ).json()
  const context = await browser.newContext(baseURL === undefined ? {} : { baseURL })
  await context.request.post("/api/users/login", { data: { email, password } })
  const found = async (path: string) => {
    const tab = await context.newPage()
    await tab.clock.install()
    const followed = path === "/collection/dashboard" ? undefined : tab.waitForResponse(/\/live$/)
    await tab.goto(path)
    await followed
    await tab.getByRole("button", { name: "Find" }).click()
    await tab.getByRole("combobox", { name: "Find" }).fill("TOKEN")
    await expect(tab.getByRole("listbox", { name: "Results" }).getByText("TOKEN")).toBeVisible()
    return tab
  }
  const elsewhere = await found("/collection/dashboard")
  await setVisibility(elsewhere, "hidden")
  const inside = await found(`/collection/${id}`)

  await ann.request.delete(`/api/collections/${id}/members/${member.userId}`)

  await expect(inside).toHaveURL("/collection/dashboard")
  await elsewhere.clock.fastForward(8 * hourMs)
  await setVisibility(elsewhere, "visible")
  for (const tab of [inside, elsewhere]) {
    await expect(tab.getByRole("listbox", { name: "Results" }).getByText(/TOKEN|billing-api/)).toHaveCount(0)
  }
  await context.close()
})

test(
  "a session that ends elsewhere ends on an open collection at once, also after hours",
  long,
  async ({ page, given, browser, baseURL }) => {
    const { email, id, production } = await billing(given)
    await page.clock.install()
    const followed = page.waitForResponse(/\/live$/)
    await page.goto(`/collection/${id}?env=${production}`)
    await followed
    await page.getByRole("button", { name: "Edit raw values" }).first().click()
    await page.getByRole("textbox", { name: "Raw values" }).fill("TOKEN=a-value-to-lose-too")
    await page.clock.fastForward(8 * hourMs)

    await endSessions(browser, baseURL, email)

    await expectNotification(page, "Please log in first")
    await expect(page).toHaveURL("/login")
    expect(await page.content()).not.toContain("to-lose")
    await page.goto(`/collection/${id}`)
    await expect(page).toHaveURL("/login")
  },
)

test("what a screen says of time is right when the tab comes back after hours and days", async ({ page, given }) => {
  const { id, production } = await billing(given)
  const expiresAt = new Date(Date.now() + 2 * hourMs).toISOString()
  await page.request.post("/api/api-key", { data: { name: "short", subCollectionId: production, expiresAt } })
  await page.clock.install()
  await page.goto(`/collection/${id}/history/${production}`)
  await expect(page.getByRole("heading", { name: "Today" })).toBeVisible()
  await afterSleepOf(page, dayMs)
  await expect(page.getByRole("heading", { name: "Yesterday" })).toBeVisible({ timeout: 5 * secondMs })

  await page.goto(`/collection/${id}/activity`)
  await expect(page.getByRole("heading", { name: "Yesterday" })).toBeVisible()
  await afterSleepOf(page, 2 * dayMs)
  await expect(page.getByRole("heading", { name: "Yesterday" })).toHaveCount(0, { timeout: 5 * secondMs })

  await page.clock.setSystemTime(Date.now())
  await page.goto(`/collection/${id}?env=${production}`)
  await page.getByRole("button", { name: "API keys" }).first().click()
  const key = page.getByRole("listitem", { name: "short" })
  await expect(key.getByText("Expires in 1 hour")).toBeVisible()
  await afterSleepOf(page, 3 * hourMs)
  await expect(key.getByText("Expired")).toBeVisible({ timeout: 5 * secondMs })
})

/** The machine slept, so no timer has run. */
async function afterSleepOf(page: Page, ms: number): Promise<void> {
  await setVisibility(page, "hidden")
  await page.clock.setSystemTime((await page.evaluate<number>("Date.now()")) + ms)
  await setVisibility(page, "visible")
}

test("an Undo that stayed for hours changes nothing that others have changed since", async ({ page, given }) => {
  const { id, production } = await billing(given)
  const describe = (description: string) =>
    page.request.post(`/api/collections/${id}/names`, { data: [{ name: "TOKEN", description }] })
  await describe("by the one who removes it")
  await page.clock.install()

  await page.goto(`/collection/${id}/names`)
  await page.getByRole("button", { name: "Remove the description of TOKEN" }).click()
  const undo = page.getByRole("alert").getByRole("button", { name: "Undo" })
  // A message does not go while it has the focus, which the row that changes may still move.
  await expect(page.getByRole("button", { name: "Remove the description of TOKEN" })).toHaveCount(0)
  await undo.focus()
  await expect(undo).toBeFocused()
  await page.clock.fastForward(3 * hourMs)
  await describe("by another one, later")
  await undo.press("Enter")
  await expectNotification(page, "This name was described again. Nothing was changed")
  const { data: names } = await (await page.request.get(`/api/collections/${id}/names`)).json()
  expect(names).toMatchObject([{ name: "TOKEN", description: "by another one, later" }])

  await page.goto(`/collection/${id}/compare`)
  await cellAt(page, "TOKEN").dblclick()
  const editor = page.getByRole("textbox", { name: "TOKEN in production" })
  await editor.fill("the-second-value")
  await editor.press("Enter")
  await expect(cellAt(page, "TOKEN")).toBeFocused()
  await undo.focus()
  await expect(undo).toBeFocused()
  await page.clock.fastForward(3 * hourMs)
  const { data } = await (await page.request.get(`/api/subcollection/${production}`)).json()
  const [item] = data.collectionItems as [{ id: number }]
  await page.request.put(`/api/collectionItem/${item.id}`, { data: { name: "TOKEN", value: "the-third-value" } })
  await undo.press("Enter")
  await expect(page.getByRole("alert").filter({ hasNotText: "Item updated" })).toBeVisible()
  const after = await (await page.request.get(`/api/subcollection/${production}`)).json()
  expect(after.data.collectionItems).toMatchObject([{ name: "TOKEN", value: "the-third-value" }])

  await leaveFor(page, hourMs)
  await page.keyboard.press("ControlOrMeta+z")
  await expect(undo).toHaveCount(0)
})
