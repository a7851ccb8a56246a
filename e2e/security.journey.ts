import { expect, long, test } from "./test.ts"

const runForeignScripts = `(async () => {
  const failed = (element) => new Promise((resolve) => element.addEventListener("error", resolve))
  const inline = document.createElement("script")
  inline.textContent = "window.ran = 'inline'"
  document.body.append(inline)
  const far = document.createElement("script")
  far.src = "data:text/javascript,window.ran='far'"
  const refused = failed(far)
  document.body.append(far)
  await refused
  document.body.insertAdjacentHTML("beforeend", '<img id="i" src="/missing.png" onerror="window.ran = 1">')
  await failed(document.getElementById("i"))
  return String(window.ran)
})()`

/** Everything that the browser stores for the site, except the display settings. */
const kept = `(async () => ({
  local: Object.entries(localStorage)
    .filter(([name, text]) => !(/^envkeep[.]shown[.][0-9]+$/.test(name) && /^[{}[\\]":,0-9a-z]*$/.test(text)))
    .filter(([name]) => name !== "mantine-color-scheme-value"),
  session: Object.entries(sessionStorage),
  databases: await indexedDB.databases(),
  cookies: document.cookie,
  workers: (await navigator.serviceWorker?.getRegistrations())?.length ?? 0,
}))()`

const nothing = { local: [], session: [], databases: [], cookies: "", workers: 0 }

test("the page runs no script that is not a file of ours, and no other page can frame it", async ({
  context,
  server,
}) => {
  // Separate pages: the console errors of these attempts must not fail this journey.
  const own = await context.newPage()
  await own.goto("/login")
  const ran = await own.evaluate(runForeignScripts)
  expect(ran).toBe("undefined")

  const other = await context.newPage()
  await other.route("http://other.example/", (route) =>
    route.fulfill({ contentType: "text/html", body: `<iframe src="${server.url}/login"></iframe>` }),
  )
  await other.goto("http://other.example/")
  await expect(other.frameLocator("iframe").getByLabel("Password")).toHaveCount(0)
  expect(other.frames()[1]?.url()).not.toContain("/login")
})

test("names and values that look like HTML are text, wherever they are shown", async ({ page, given }) => {
  const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>`
  await given.user()
  const id = await given.collection(`C ${hostile.slice(0, 80)}`, hostile)
  await given.environment(id, "production", [{ name: hostile.replaceAll("=", ":"), value: hostile }])
  await page.goto("/collection/dashboard")
  await expect(page.getByText(hostile)).toBeVisible()
  await page.goto(`/collection/${id}`)
  await expect(page.getByText(hostile)).toBeVisible()
  await page.getByRole("button", { name: /^production/ }).click()
  await expect(page.getByLabel("Value").last()).toBeVisible()
  await expect(page).not.toHaveTitle("taken")
})

test("password fields hide what is typed, take what is pasted and are known to password managers", async ({
  page,
  given,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const expected: Record<string, [string, string][]> = {
    "/login": [["Password", "current-password"]],
    "/register": [
      ["Password", "new-password"],
      ["Confirm password", "new-password"],
    ],
    "/user/dashboard": [
      ["Old password", "current-password"],
      ["New password", "new-password"],
      ["Confirm password", "new-password"],
    ],
  }
  // A manager saves what is marked as the username, and fills it in at the login, which wants the email.
  const account: [string, string][] = [
    ["Username", "nickname"],
    ["Email", "username"],
  ]
  const named: Record<string, [string, string][]> = {
    "/login": [["Email", "username webauthn"]],
    "/register": account,
    "/user/dashboard": account,
  }
  for (const [path, fields] of Object.entries(expected)) {
    if (path.startsWith("/user")) await given.user()
    await page.goto(path)
    for (const [label, autocomplete] of named[path] ?? []) {
      await expect(page.getByLabel(label, { exact: true })).toHaveAttribute("autocomplete", autocomplete)
    }
    await page.evaluate(`navigator.clipboard.writeText("from a password manager")`)
    for (const [label, autocomplete] of fields) {
      const field = page.getByLabel(label, { exact: true })
      await expect(field).toHaveAttribute("type", "password")
      await expect(field).toHaveAttribute("autocomplete", autocomplete)
      await field.press("ControlOrMeta+V")
      await expect(field).toHaveValue("from a password manager")
    }
  }
})

test("the browser keeps nothing of an environment, while it is shown and after the logout", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "TOKEN", value: "a-value-that-must-not-stay" }])
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: /^production/ }).click()
  await expect(page.getByRole("listitem", { name: "TOKEN" })).toBeVisible()
  expect(await page.evaluate(kept)).toEqual(nothing)

  await page.getByRole("link", { name: "Logout" }).click()
  await expect(page).toHaveURL(/\/login$/)
  expect(await page.evaluate(kept)).toEqual(nothing)
  expect(await page.content()).not.toContain("a-value-that-must-not-stay")
  await page.goto(`/collection/${id}`)
  await expect(page).toHaveURL(/\/login$/)
  expect(await page.content()).not.toContain("a-value-that-must-not-stay")
})

test("no script that is served names a source map", long, async ({ page, server }) => {
  await page.goto("/login")
  const loaded = 'performance.getEntriesByType("resource").map(({ name }) => name)'
  const scripts = await page.evaluate<string[]>(loaded)
  const own = scripts.filter((name) => name.endsWith(".js"))
  expect(own.length).toBeGreaterThan(1)
  for (const script of own) {
    expect(script.startsWith(server.url)).toBe(true)
    expect(await (await page.request.get(script)).text()).not.toContain("sourceMappingURL")
    expect((await page.request.get(`${script}.map`)).status()).toBe(404)
  }
})
