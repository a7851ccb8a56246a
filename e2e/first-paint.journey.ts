import { readFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Page, Request } from "@playwright/test"
import { contactUrl, startServer } from "./server.ts"
import { expect, long, test } from "./test.ts"

const headings = [
  "Environment variables, kept.",
  "Small to run, fast to read",
  "Encrypted at rest",
  "Exact to the byte",
  "Revoked in a second",
  "Yours to run",
  "Read your variables anywhere",
  "Set the server and the key",
  "Read them with curl",
  "Install the package",
  "Fetch",
  "Apply to the process",
  "Save to a file",
  "Get them as JSON",
  "Get them as a raw string",
  "Or use it without code changes",
  "Questions or feedback?",
]

const coloursOfAll = `[...document.querySelectorAll("body, body *")].map((element) => {
  const { color, backgroundColor, borderTopColor, fill } = getComputedStyle(element)
  return [element.className, color, backgroundColor, borderTopColor, fill].join()
})`

/** By gzip, which every browser takes. Most get brotli, which is smaller. */
const landingScriptBytes = 60_000
const dashboardScriptBytes = 160_000

for (const [name, width, colorScheme, how] of [
  ["a wide light window", 1280, "light", {}],
  ["a wide dark window", 1280, "dark", long],
  ["a narrow light window", 375, "light", long],
  ["a narrow dark window", 375, "dark", long],
] as const) {
  test(
    `without JavaScript, the landing page is complete in ${name}`,
    how,
    async ({ page: scripted, browser, server }) => {
      const context = await browser.newContext({ baseURL: server.url, javaScriptEnabled: false, colorScheme })
      const page = await context.newPage()
      for (const one of [page, scripted]) await one.setViewportSize({ width, height: 800 })
      await page.goto("/")
      await expect(page).toHaveTitle("Envkeep · Environment variables, kept")
      await expect(page.getByRole("heading")).toHaveText(headings)
      for (const figure of ["25,000+", "< 0.2 s", "< 130 MB"]) await expect(page.getByText(figure)).toBeVisible()
      // Without PUBLIC_URL, only the script knows the server's address.
      for (const [one, url] of [
        [page, "http://localhost:3000"],
        [scripted, server.url],
      ] as const) {
        await one.goto("/")
        await expect(one.locator("pre", { hasText: `npm install ${url}/envkeep.tgz` })).toBeVisible()
      }
      await expect(page.getByRole("link", { name: "Contact" })).toHaveAttribute("href", contactUrl)
      await expect(page.getByRole("link", { name: "Get started" })).toHaveAttribute("href", "/register")
      const picture = page.getByRole("img", { name: /^A collection with three environments/ })
      await expect(picture).toHaveAttribute("src", new RegExp(colorScheme))
      const colours = await page.evaluate(coloursOfAll)
      await scripted.emulateMedia({ colorScheme })
      await scripted.goto("/")
      expect(colours).toEqual(await scripted.evaluate(coloursOfAll))
      if (width === 375) await page.getByRole("button", { name: "Open menu" }).click()
      const links = page.getByRole("navigation", { name: "Main" }).getByRole("link")
      await expect(links).toHaveText(["Home", "Login", "Register"])
      await links.getByText("Login").click()
      await expect(page).toHaveURL("/login")
      await context.close()
    },
  )

  test(
    `the landing page does not change when its script has run, nor in the app, in ${name}`,
    how,
    async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.setViewportSize({ width, height: 800 })
      const look = async () => {
        await page.evaluate("document.querySelector('.picture').scrollIntoView()")
        const hasPicture = "[...document.images].some((one) => one.complete && one.naturalWidth > 0)"
        await expect.poll(() => page.evaluate(hasPicture)).toBe(true)
        await page.evaluate("scrollTo(0, 0)")
        // In the samples the script writes the server's address.
        return await page.screenshot({ fullPage: true, animations: "disabled", mask: [page.locator("pre")] })
      }
      await page.route("**/assets/landing-*.js", (route) => route.abort())
      await page.goto("/")
      const before = await look()
      await page.unroute("**/assets/landing-*.js")

      await page.addInitScript(`window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: "layout-shift", buffered: true })`)
      await page.goto("/", { waitUntil: "networkidle" })
      expect(await page.evaluate("shifts")).toEqual([])
      expect((await look()).equals(before)).toBe(true)

      // The app's own landing page, which a guest sees who comes back from another screen.
      await page.goto("/login")
      if (width === 375) await page.getByRole("button", { name: "Open menu" }).click()
      await page.getByRole("link", { name: "Home" }).click()
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Environment variables, kept.")
      await page.mouse.move(0, 0)
      await expect(page.getByRole("dialog")).toHaveCount(0)
      expect((await look()).equals(before)).toBe(true)
    },
  )
}

test("where registration is closed, the landing page does not offer it", async ({ browser }) => {
  const server = await startServer({ ENVKEEP_REGISTRATION: "closed" })
  const page = await browser.newPage({ baseURL: server.url })
  await page.goto("/")
  await expect(page.getByRole("link", { name: "Register" })).toHaveCount(0)
  await expect(page.getByRole("link", { name: "Get started" })).toHaveAttribute("href", "/login")
  await page.close()
  await server.dispose()
})

test("a user gets the app at /, also after a login on the way from the landing page, or in another tab", async ({
  page,
  context,
  given,
}) => {
  await page.goto("/")
  await expect(page.getByRole("link", { name: "Get started" })).toBeVisible()
  const other = await context.newPage()
  await other.goto("/login")
  await given.user()
  await other.evaluate(`{
    const channel = new BroadcastChannel("envkeep-session")
    channel.postMessage("changed")
  }`)
  await expect(page.getByRole("link", { name: "Open your dashboard" })).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText([
    "Home",
    "Collections",
    "Profile",
    "Logout",
  ])
})

test("the landing page is usable with less than 60 kB of script, the dashboard with at most 100 kB more", async ({
  page,
  given,
}) => {
  const landing = await scriptsOf(page, async () => {
    await page.goto("/", { waitUntil: "networkidle" })
    await page.getByRole("button", { name: "Copy: Install" }).click()
    await expect(page.getByRole("alert").getByText("Copied to clipboard")).toBeVisible()
  })
  expect(landing.bytes, landing.names.join()).toBeLessThan(landingScriptBytes)

  await given.user()
  for (const name of ["billing", "shop"]) await given.environment(await given.collection(name), "production")
  const dashboard = await scriptsOf(page, async () => {
    await page.goto("/collection/dashboard", { waitUntil: "networkidle" })
    await expect(page.getByRole("heading", { name: "billing" })).toBeVisible()
    await page.getByLabel("Filter collections").fill("shop")
    await expect(page.getByRole("heading", { name: "billing" })).toHaveCount(0)
  })
  expect(dashboard.bytes, dashboard.names.join()).toBeLessThanOrEqual(dashboardScriptBytes)
})

/** The scripts that were loaded for a visit, and their size as they are sent. */
async function scriptsOf(page: Page, visit: () => Promise<void>): Promise<{ names: string[]; bytes: number }> {
  const names: string[] = []
  const note = (request: Request) => {
    if (request.url().endsWith(".js")) names.push(new URL(request.url()).pathname)
  }
  page.on("request", note)
  await visit()
  page.off("request", note)
  const dist = join(import.meta.dirname, "../web/dist")
  const bytes = names.map((name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length)
  return { names, bytes: bytes.reduce((sum, one) => sum + one, 0) }
}
