import { boxesOf } from "./boxes.ts"
import { expect, expectNotification, long, test } from "./test.ts"

test("API keys are added, copied and deleted", async ({ page, given, server }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  await page.goto(`/collection/${id}`)
  const open = page.getByRole("button", { name: "Manage API keys" })
  await open.click()
  const dialog = page.getByRole("dialog", { name: /API keys of production/ })
  await expect(dialog.getByText("No API Keys")).toBeVisible()

  await dialog.getByLabel("Name").fill("  ")
  await dialog.getByRole("button", { name: "Add" }).click()
  await expectNotification(page, "Name is required")
  await dialog.getByLabel("Name").fill("web-1")
  await page.keyboard.press("Enter")
  await expectNotification(page, "API Key created successfully")
  await expect(dialog.getByLabel("Name")).toBeFocused()

  const row = dialog.getByRole("listitem", { name: "web-1" })
  await expect(row.locator("code")).toHaveText(/^ek_\w{7}\.\.\.$/)
  await row.getByRole("button", { name: "Copy" }).click()
  await expectNotification(page, "Copied to clipboard")
  const key = await page.evaluate<string>("navigator.clipboard.readText()")
  expect(key).toMatch(/^ek_\w{40,}$/)
  const read = () => fetch(`${server.url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })
  expect(await (await read()).json()).toEqual({ PORT: "8080" })

  await row.getByRole("button", { name: "Delete" }).click()
  const question = page.getByRole("dialog", { name: "Delete this API key?" })
  await page.keyboard.press("Escape")
  await expect(question).toHaveCount(0)
  await expect(dialog).toBeVisible()
  await expect(row.getByRole("button", { name: "Delete" })).toBeFocused()
  await row.getByRole("button", { name: "Delete" }).click()
  await question.getByRole("button", { name: "Delete" }).click()
  await expectNotification(page, "API Key deleted successfully")
  await expect(dialog.getByText("No API Keys")).toBeVisible()
  await expect(dialog.getByLabel("Name")).toBeFocused()
  expect((await read()).status).toBe(401)

  await page.keyboard.press("Escape")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
})

test("after a key is made, its samples are ready to paste, and its first read shows by itself", async ({
  page,
  given,
  server,
}) => {
  await given.user()
  const id = await given.collection("billing")
  const environment = await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  await given.apiKey(environment, "older")
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Manage API keys" }).click()
  const dialog = page.getByRole("dialog", { name: /API keys of production/ })
  await expect(dialog.getByRole("tab")).toHaveCount(0)
  await dialog.getByLabel("Name").fill("web-1")
  await dialog.getByRole("button", { name: "Add" }).click()

  const panel = dialog.getByRole("region", { name: "Use web-1" })
  const status = panel.getByRole("status")
  await expect(status).toHaveText("Waiting for the first read…")
  await panel.getByRole("button", { name: "Copy: curl" }).click()
  await expectNotification(page, "Copied to clipboard")
  const curl = await page.evaluate<string>("navigator.clipboard.readText()")
  expect(curl).toContain(`ENVKEEP_URL=${server.url} `)
  const key = /ENVKEEP_KEY=(\w+)$/m.exec(curl)?.[1]
  const headers = { authorization: `Bearer ${key}`, "user-agent": "curl/8.5.0" }
  expect((await fetch(`${server.url}/api/v1/variables`, { headers })).status).toBe(200)
  await expect(status).toHaveText("Read by curl 8.5.0 just now")
  const row = dialog.getByRole("listitem", { name: "web-1" })
  await expect(row.getByText(/^Last used/)).toBeVisible()

  for (const tab of ["envkeep run", "Node", "Docker", "GitHub Actions", "Python"]) {
    await panel.getByRole("tab", { name: tab }).click()
    await expect(panel.getByRole("button", { name: /^Copy: / }).first()).toBeVisible()
  }
  await page.setViewportSize({ width: 375, height: 812 })
  const overflow =
    "document.querySelector('[role=dialog]').scrollWidth - document.querySelector('[role=dialog]').clientWidth"
  await expect.poll(() => page.evaluate<number>(overflow)).toBeLessThanOrEqual(0)
  await expect
    .poll(async () => (await boxesOf(panel.locator("button"))).filter(({ height }) => height < 44))
    .toEqual([])
  await expect.poll(async () => new Set((await boxesOf(panel.getByRole("tab"))).map(({ y }) => y)).size).toBe(1)
  for (const name of ["curl", "Python"]) {
    const tab = panel.getByRole("tab", { name })
    // Not a real click, which would scroll to the tab by itself.
    await tab.dispatchEvent("click")
    // All of it but a part of a pixel.
    await expect(tab).toBeInViewport({ ratio: 0.98 })
  }

  await dialog.getByRole("listitem", { name: "older" }).getByRole("button", { name: "Use" }).click()
  await expect(dialog.getByRole("region", { name: "Use older" }).getByRole("status")).toHaveText(/^Waiting/)
  await expect(panel).toHaveCount(0)
  await dialog.getByRole("listitem", { name: "older" }).getByRole("button", { name: "Use" }).click()
  await expect(dialog.getByRole("tab")).toHaveCount(0)
})

test("a key that expires is rolled, and its leak is worked off while another person replaces a value", async ({
  page,
  given,
  server,
}) => {
  await given.user()
  const id = await given.collection("billing")
  const environment = await given.environment(id, "production", [
    { name: "TOKEN", value: "1" },
    { name: "PORT", value: "8080" },
  ])
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Manage API keys" }).click()
  const dialog = page.getByRole("dialog", { name: /API keys of production/ })
  await dialog.getByLabel("Name").fill("web-1")
  await dialog.getByRole("button", { name: "Options" }).click()
  await dialog.getByLabel("Expires").selectOption("In 7 days")
  await dialog.getByLabel("Note").fill("the web server")
  await dialog.getByRole("button", { name: "Add" }).click()
  const row = dialog.getByRole("listitem", { name: "web-1", exact: true })
  await expect(row.getByText("Expires in 6 days")).toBeVisible()
  await row.getByRole("button", { name: "Copy" }).click()
  const key = await page.evaluate<string>("navigator.clipboard.readText()")
  const status = async () =>
    (await fetch(`${server.url}/api/v1/variables`, { headers: { authorization: `Bearer ${key}` } })).status
  expect(await status()).toBe(200)

  await row.getByRole("button", { name: "Manage" }).click()
  const panel = dialog.getByRole("region", { name: "Manage web-1" })
  await panel.getByLabel(/^Roll/).selectOption("works for another hour")
  await panel.getByRole("button", { name: "Roll" }).click()
  await expectNotification(page, "API Key rolled successfully")
  const old = dialog.getByRole("listitem", { name: "web-1 (replaced)" })
  await expect(old.getByText("Replaced")).toBeVisible()
  expect(await status()).toBe(200)

  await old.getByRole("button", { name: "Manage" }).click()
  await dialog.getByRole("link", { name: "If this key leaked…" }).click()
  await expect(page.getByRole("heading", { name: "If web-1 (replaced) leaked" })).toBeVisible()
  await page.getByRole("button", { name: "Disable now" }).click()
  await expect(page.getByText("0 of 2 done")).toBeVisible()
  expect(await status()).toBe(401)
  // Elsewhere: the page hears of it.
  const save = [
    { name: "TOKEN", value: "2" },
    { name: "PORT", value: "8080" },
  ]
  await page.request.post(`/api/subcollection/${environment}/bulk`, { data: save })
  await expect(page.getByText("1 of 2 done")).toBeVisible()
  await expect(page.getByRole("listitem", { name: "TOKEN" }).getByText("replaced")).toBeVisible()
  await page.reload()
  await expect(page.getByText("1 of 2 done")).toBeVisible()
  await page.getByRole("link", { name: "Replace PORT" }).click()
  await expect(page.getByRole("region", { name: "production" })).toBeVisible()
})

test("a long list of keys scrolls within the smaller of 400 px and half the window", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  const environment = await given.environment(id, "production")
  for (let at = 0; at < 12; at++) await given.apiKey(environment, `machine-${at}`)
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Manage API keys" }).click()
  const list = page.getByRole("list", { name: "API keys" })
  await expect.poll(async () => (await list.boundingBox())?.height).toBe(400)
  await page.setViewportSize({ width: 1280, height: 600 })
  await expect.poll(async () => (await list.boundingBox())?.height).toBe(300)
})

test("a click outside the dialog does not discard a half-typed name", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production")
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Manage API keys" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("web-")
  await page.mouse.click(5, 400)
  await page.waitForTimeout(300)
  await expect(dialog.getByLabel("Name")).toHaveValue("web-")
  await dialog.getByLabel("Name").fill("web-1")
  await dialog.getByRole("button", { name: "Add" }).click()
  await expectNotification(page, "API Key created successfully")
  await expect(dialog.getByLabel("Name")).toBeFocused()
  await page.mouse.click(5, 400)
  await expect(dialog).toHaveCount(0)
})

test("a key can be copied without navigator.clipboard", long, async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.apiKey(await given.environment(id, "production"), "web-1")
  // As over plain HTTP from another machine.
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Manage API keys" }).click()
  const copy = page.getByRole("dialog").getByRole("button", { name: "Copy" })
  await copy.click()
  await expectNotification(page, "Copied to clipboard")
  await expect(copy).toBeFocused()
  await page.getByLabel("Name", { exact: true }).focus()
  await page.keyboard.press("ControlOrMeta+V")
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue(/^ek_\w{40,}$/)
})
