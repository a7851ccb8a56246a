import { createHash } from "node:crypto"
import { violations } from "./axe.ts"
import { contactUrl } from "./server.ts"
import { expect, expectNotification, long, test, unreachable } from "./test.ts"

test("a guest sees what the product is, how to use it and where to ask", async ({ page, server }) => {
  await page.goto("/")

  await expect(page).toHaveTitle(/Envkeep/)
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText([
    "Home",
    "Login",
    "Register",
  ])
  await expect(page.getByRole("link", { name: "Home" })).toHaveAttribute("aria-current", "page")
  for (const part of [
    "curl -fsS",
    `npm install ${server.url}/envkeep.tgz`,
    "await load()",
    "env.apply()",
    'env.save(".env")',
    "env.json()",
    "env.raw()",
  ]) {
    await expect(page.getByText(part).first()).toBeVisible()
  }
  for (const command of ["envkeep run -- node server.js", "envkeep print", "envkeep save .env", "envkeep check"]) {
    await expect(page.locator("pre", { hasText: command })).toBeVisible()
  }
  await expect(page.getByRole("link", { name: "Contact" })).toHaveAttribute("href", contactUrl)
})

test("browsers find the icons, and chat programs the picture and the words of a link", async ({ server }) => {
  const get = (path: string) => fetch(new URL(path, server.url))
  const sizesOf = async (path: string) => {
    const picture = Buffer.from(await (await get(path)).bytes())
    return [picture.readUInt32BE(16), picture.readUInt32BE(20)]
  }
  expect((await get("/favicon.ico")).headers.get("content-type")).toMatch(/icon/)
  const manifest = await get("/manifest.webmanifest")
  expect(manifest.headers.get("content-type")).toMatch(/^application\/manifest\+json/)
  const { icons } = (await manifest.json()) as { icons: { src: string; sizes: string }[] }
  for (const { src, sizes } of icons) {
    if (sizes === "any") expect((await get(src)).headers.get("content-type")).toBe("image/svg+xml")
    else expect((await sizesOf(src)).join("x")).toBe(sizes)
  }

  const html = await (await get("/")).text()
  // This server's settings do not name its address.
  const example = "http://localhost:3000"
  expect(html).toContain(`<meta property="og:url" content="${example}/" />`)
  expect(html).toContain(`<meta property="og:image" content="${example}/card.png" />`)
  expect(await sizesOf("/card.png")).toEqual([1200, 630])
  expect(html).toMatch(/property="og:title" content="Envkeep · [^"]+"/)
})

test("the page of the API leads to each of its parts and back, and fits a phone", long, async ({ page }) => {
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto("/api/docs")
  await page.getByRole("link", { name: /^Second factors/ }).click()
  await expect(page.getByRole("heading", { name: "Second factors" })).toBeInViewport()
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375)
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await page.getByRole("link", { name: "envkeep", exact: true }).click()
  await expect(page).toHaveURL("/")
})

test("a sample of the guide is copied completely", async ({ page, server }) => {
  await page.goto("/")
  await page.getByRole("button", { name: "Copy: Install" }).click()
  await expectNotification(page, "Copied to clipboard")
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe(`npm install ${server.url}/envkeep.tgz`)
})

test("the landing page shows the product in the theme of the page, how it was measured, and what npm installs", async ({
  page,
  server,
}) => {
  const picture = page.getByRole("img", { name: /^A collection with three environments/ })
  const sources = []
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    await page.goto("/")
    await expect(picture).toHaveJSProperty("naturalWidth", 1280)
    await expect(picture).toHaveJSProperty("naturalHeight", 800)
    sources.push(await picture.getAttribute("src"))
  }
  expect(sources).toEqual([expect.stringContaining("light"), expect.stringContaining("dark")])

  const tarball = await (await fetch(`${server.url}/envkeep.tgz`)).bytes()
  await expect(page.getByText(`sha512-${createHash("sha512").update(tarball).digest("base64")}`)).toBeVisible()
  await page.getByRole("link", { name: "How we measured" }).click()
  await expect(page.getByRole("heading", { name: "Read by key", exact: true })).toBeVisible()
  expect(await violations(page, "dark")).toEqual([])
  await page.getByRole("link", { name: "Home" }).click()
  await expect(picture).toBeVisible()
})

test("a failed copy is reported", long, async ({ page, context }) => {
  await context.clearPermissions()
  await page.goto("/")
  await page.evaluate("navigator.clipboard.writeText = () => Promise.reject(new Error('refused'))")
  await page.evaluate("document.execCommand = () => false")
  await page.getByRole("button", { name: "Copy: Install" }).click()
  await expectNotification(page, "Failed to copy to clipboard")
})

test("an address without a screen is a 404 page", async ({ page }) => {
  for (const path of ["/nowhere", "/login/more", "/api-docs/none", "/users", "/about.html", "/robots.txt"]) {
    await page.goto(path)
    await expect(page.getByRole("heading", { name: "404" }), path).toBeVisible()
    await expect(page, path).toHaveTitle("404 · Envkeep")
  }
  await page.getByRole("link", { name: "Go to the home page" }).click()
  await expect(page).toHaveURL("/")
})

test("a guest who opens a screen of users is sent to the login page", async ({ page }) => {
  for (const screen of [
    "user/dashboard",
    "user/logout",
    "user/none",
    "collection/dashboard",
    "collection/new",
    "collection/1",
  ]) {
    await page.goto(`/${screen}`)
    await expect(page, screen).toHaveURL("/login")
  }
})

test("a guest who opens a screen of administrators is sent to the home page", async ({ page }) => {
  for (const path of ["/admin/dashboard", "/admin/products", "/admin/none", "/admin"]) {
    await page.goto(path)
    await expect(page, path).toHaveURL("/")
  }
})

test("a screen that cannot be loaded says so below the bar, and opens once the server is back", async ({ page }) => {
  await page.route("**/assets/LoginScreen-*.js", (route) => route.abort())
  await page.goto("/")
  await page.getByRole("link", { name: "Login" }).click()
  await expect(page.getByText("This screen could not be loaded")).toBeVisible()
  await expect(page.getByText(unreachable)).toBeVisible()
  await page.getByRole("link", { name: "Register" }).click()
  await expect(page.getByRole("heading", { name: "Register" })).toBeVisible()
  await page.getByRole("link", { name: "Login", exact: true }).click()

  await page.route("**/api/users/me", (route) => route.abort())
  await page.getByRole("button", { name: "Try again" }).click()
  await expectNotification(page, unreachable)
  await page.unroute("**/api/users/me")
  await page.unroute("**/assets/LoginScreen-*.js")
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByRole("heading", { name: "Login" })).toBeVisible()
})

test("a user who cannot be fetched is a guest, with the server's message", async ({ page }) => {
  await page.route("**/api/users/me", (route) =>
    route.fulfill({ status: 500, json: { error: true, msg: "Something went wrong on our side", data: null } }),
  )
  await page.goto("/nowhere")
  await expectNotification(page, "Something went wrong on our side")
  await expect(page.getByRole("link", { name: "Login" })).toBeVisible()
})

test("the app fetches the user once", async ({ page }) => {
  let asked = 0
  page.on("request", (request) => {
    if (request.url().endsWith("/api/users/me")) asked++
  })
  await page.goto("/")
  await page.getByRole("link", { name: "Login" }).click()
  await page.getByRole("link", { name: "Home" }).click()
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  expect(asked).toBe(1)
})

test("light and dark follow the system until the user chooses", async ({ page }) => {
  const scheme = () => page.locator("html").getAttribute("data-mantine-color-scheme")
  const frame = () =>
    page.evaluate('[...document.querySelectorAll("meta[name=theme-color]")].map((meta) => meta.content)')
  await page.emulateMedia({ colorScheme: "dark" })
  await page.goto("/")
  await expect.poll(scheme).toBe("dark")
  await page.getByRole("button", { name: "Switch to light mode" }).click()
  await expect.poll(scheme).toBe("light")
  await expect.poll(frame).toEqual(["#ffffff", "#ffffff"])
  await page.reload()
  await expect.poll(scheme).toBe("light")
  await expect.poll(frame).toEqual(["#ffffff", "#ffffff"])
  await page.getByRole("button", { name: "Switch to dark mode" }).click()
  await page.emulateMedia({ colorScheme: "light" })
  await expect.poll(scheme).toBe("light")
})
