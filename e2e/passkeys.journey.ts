import type { CDPSession, Page } from "@playwright/test"
import { aboutColours, violations } from "./axe.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

// Browsers have no passkeys for IP addresses.
test.use({ baseURL: ({ server }, use) => use(server.url.replace("127.0.0.1", "localhost")) })

interface Device {
  /** Whether the user touches it when it is asked. */
  isTouched(isTouched: boolean): Promise<void>
  remove(): Promise<void>
}

/** The browser offers passkeys only when it is asked, and not where it fills in the e-mail: when that is answered is chance. */
async function authenticators(page: Page) {
  await page.addInitScript("PublicKeyCredential.isConditionalMediationAvailable = async () => false")
  const cdp = await page.context().newCDPSession(page)
  await cdp.send("WebAuthn.enable")
  return (how: { transport?: "internal" | "usb"; isUserVerified?: boolean } = {}) => device(cdp, how)
}

/** A device of Chromium's own, which checks who uses it unless said otherwise. */
async function device(
  cdp: CDPSession,
  { transport = "internal", isUserVerified = true }: { transport?: "internal" | "usb"; isUserVerified?: boolean },
): Promise<Device> {
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport,
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified,
      automaticPresenceSimulation: true,
    },
  })
  return {
    isTouched: async (enabled) =>
      void (await cdp.send("WebAuthn.setAutomaticPresenceSimulation", { authenticatorId, enabled })),
    remove: async () => void (await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId })),
  }
}

async function add(page: Page, name?: string): Promise<void> {
  await page.getByRole("button", { name: "Add a passkey" }).click()
  const dialog = page.getByRole("dialog", { name: "Add a passkey" })
  if (name !== undefined) await dialog.getByLabel("Name").fill(name)
  await dialog.getByRole("button", { name: "Continue" }).click()
}

/** The codes that the first passkey of an account comes with, in the same dialog. */
async function saveCodes(page: Page): Promise<string[]> {
  const dialog = page.getByRole("dialog", { name: "Add a passkey" })
  const list = dialog.getByRole("list", { name: "Recovery codes" })
  await expect(list).toBeFocused()
  const codes = await list.getByRole("listitem").allInnerTexts()
  expect(codes).toHaveLength(10)
  await dialog.getByRole("button", { name: "I have saved them" }).click()
  await expect(dialog).toHaveCount(0)
  return codes
}

test("passkeys are added, named, used to sign in without a password, and removed", async ({ page, given }) => {
  const { email } = await given.user()
  const newDevice = await authenticators(page)
  const laptop = await newDevice()
  await page.goto("/user/dashboard")
  await expect(page.getByText("No passkeys")).toBeVisible()
  await add(page, " ")
  await expect(page.getByText("A passkey needs a name")).toBeVisible()
  await expect(page.getByText("From then on, your password alone no longer opens your account.")).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await page.getByLabel("Name", { exact: true }).fill("My laptop")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Passkey added successfully")
  expect(await violations(page, "light")).toEqual([])
  await saveCodes(page)
  await expect(page.getByText("10 codes are left")).toBeVisible()
  const rows = page.getByRole("list", { name: "Passkeys" }).getByRole("listitem")
  await expect(rows).toHaveCount(1)
  await expect(rows).toContainText("My laptop")
  await expect(rows).toContainText("Never used")

  await add(page, "Again")
  await expectNotification(page, "This device or security key has a passkey for your account already")
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  await laptop.isTouched(false)
  const stick = await newDevice({ transport: "usb" })
  await add(page)
  await expectNotification(page, "Passkey added successfully")
  await expect(rows).toHaveCount(2)
  await expect(rows.first()).toContainText("Chrome on Linux")
  await rows
    .first()
    .getByRole("button", { name: /^Rename/ })
    .click()
  await page.keyboard.type("Key ring")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Passkey renamed successfully")
  await expect(rows.first()).toContainText("Key ring")
  await expect(rows.first().getByRole("button", { name: /^Rename/ })).toBeFocused()
  expect(await violations(page, "light")).toEqual([])
  expect(await violations(page, "dark", aboutColours)).toEqual([])

  await stick.isTouched(false)
  await page.goto("/user/logout")
  await expect(page).toHaveURL("/login")
  await stick.isTouched(true)
  await page.getByRole("button", { name: "Log in with a passkey" }).click()
  await expectNotification(page, "Logged in successfully")
  await expect(page).toHaveURL("/collection/dashboard")
  await page.goto("/user/dashboard")
  await expect(page.getByText(`Logged in as ${email}`)).toBeVisible()
  await expect(rows.filter({ hasText: "Key ring" })).toContainText("Last used")

  await rows
    .filter({ hasText: "Key ring" })
    .getByRole("button", { name: /^Remove/ })
    .click()
  await page.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
  await expectNotification(page, "Passkey removed successfully")
  await expect(rows).toHaveCount(1)
  await expect(page.getByRole("heading", { name: "Passkeys" })).toBeFocused()
  await stick.isTouched(false)
  await page.goto("/user/logout")
  await expect(page).toHaveURL("/login")
  await stick.isTouched(true)
  await page.getByRole("button", { name: "Log in with a passkey" }).click()
  await expectNotification(page, "This passkey is not valid here. It may have been removed; please log in another way")
  await expect(page).toHaveURL("/login")
})

test(
  "a passkey is the second step after a password, and confirms before what is sensitive",
  long,
  async ({ page, given }) => {
    const { email } = await given.user()
    const newDevice = await authenticators(page)
    const laptop = await newDevice()
    await page.goto("/user/dashboard")
    await add(page, "My laptop")
    await expectNotification(page, "Passkey added successfully")
    await saveCodes(page)

    await laptop.isTouched(false)
    await page.goto("/user/logout")
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.keyboard.press("Enter")
    await expect(page.getByRole("heading", { name: "Confirm your login" })).toBeVisible()
    await expect(page.getByRole("button", { name: "Continue with a passkey" })).toBeFocused()
    expect(await violations(page, "light")).toEqual([])
    await laptop.isTouched(true)
    await page.keyboard.press("Enter")
    await expectNotification(page, "Logged in successfully")
    await expect(page).toHaveURL("/collection/dashboard")

    // As if the login was longer ago.
    const data = { confirm: { password: true, passkey: true } }
    const refusal = { error: true, msg: "Please confirm that it is you", data }
    await page.goto("/user/dashboard")
    await expect(page.getByText("No tokens")).toBeVisible()
    await page.route("**/api/users/me/tokens", (route) => route.fulfill({ status: 403, json: refusal }), { times: 1 })
    await page.getByRole("button", { name: "New token" }).click()
    await page.getByLabel("Name", { exact: true }).fill("ci")
    await page.getByRole("button", { name: "Create token" }).click()
    const dialog = page.getByRole("dialog", { name: "Confirm that it is you" })
    await expect(dialog).toBeVisible()
    expect(await violations(page, "light")).toEqual([])
    const confirmed = page.waitForResponse("**/api/users/me/confirm/passkey")
    await dialog.getByRole("button", { name: "Confirm with a passkey" }).click()
    expect((await confirmed).status()).toBe(200)
    await expect(page.getByRole("dialog", { name: "Your new token" })).toBeVisible()
  },
)

test(
  "at another address than a passkey's, a login asks for one of the recovery codes that came with it",
  long,
  async ({ page, given, server }) => {
    const { email } = await given.user()
    const newDevice = await authenticators(page)
    await newDevice()
    await page.goto("/user/dashboard")
    await add(page, "My laptop")
    await expectNotification(page, "Passkey added successfully")
    const [code = ""] = await saveCodes(page)

    await page.goto(`${server.url}/login`)
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.keyboard.press("Enter")
    await expect(page.getByLabel("Recovery code")).toBeFocused()
    await expect(page.getByRole("button", { name: "Use a passkey" })).toHaveCount(0)
    await page.keyboard.type(code)
    await page.keyboard.press("Enter")
    await expectNotification(page, "Logged in successfully")
    await page.goto(`${server.url}/user/dashboard`)
    await expect(page.getByText("9 codes are left")).toBeVisible()
  },
)

test("a device that does not check its user makes no passkey", long, async ({ page, given }) => {
  await given.user()
  const newDevice = await authenticators(page)
  await newDevice({ isUserVerified: false })
  await page.goto("/user/dashboard")
  await add(page)
  await expectNotification(page, "No passkey was used. Try again, or use another way")
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByText("No passkeys")).toBeVisible()
})

test("at an IP address, the screens say that passkeys need a host name", long, async ({ page, given, server }) => {
  const sentence = "Passkeys need a host name. Open this server by its name, or as localhost, and not by an IP address"
  await page.goto(`${server.url}/login`)
  await page.getByRole("button", { name: "Log in with a passkey" }).click()
  await expectNotification(page, sentence)
  const { email } = await given.account()
  await page.request.post(`${server.url}/api/users/login`, { data: { email, password } })
  await page.goto(`${server.url}/user/dashboard`)
  await expect(page.getByText(`${sentence}.`)).toBeVisible()
  await expect(page.getByRole("button", { name: "Add a passkey" })).toHaveCount(0)
})
