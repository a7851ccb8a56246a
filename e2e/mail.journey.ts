import { eventually } from "@envkeep/testing/eventually.ts"
import { type MailServer, startMailServer } from "@envkeep/testing/mail-server.ts"
import { violations } from "./axe.ts"
import { type Server, startServer } from "./server.ts"
import { test as base, expect, expectNotification, long, password } from "./test.ts"

// A server of its own: others send no mail.
const test = base.extend<object, { mails: MailServer; server: Server }>({
  mails: [
    async ({ playwright: _ }, use) => {
      const mails = await startMailServer()
      await use(mails)
      await mails.close()
    },
    { scope: "worker" },
  ],
  server: [
    async ({ mails }, use) => {
      const server = await startServer({ SMTP_URL: mails.url })
      await use(server)
      await server.dispose()
    },
    { scope: "worker" },
  ],
})

test("a forgotten password is set with the link of a mail", async ({ page, given, mails }) => {
  const { email } = await given.account()
  await page.goto("/login")
  await page.getByRole("link", { name: "Forgot your password?" }).click()
  await expect(page).toHaveURL("/forgot")
  await expect(page.getByLabel("Email")).toBeFocused()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await page.getByLabel("Email").fill(email)
  await page.keyboard.press("Enter")
  await expect(page.getByText("Check your mail")).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])

  await expect.poll(() => mails.received.map(({ to }) => to), eventually).toEqual([email])
  const [mail] = mails.received.splice(0)
  const [link = ""] = /http:\S+\/reset#\S+/.exec(mail?.text ?? "") ?? []
  await page.goto(link)
  await expect(page).toHaveURL("/reset")
  await page.getByLabel("New password").fill("password1")
  await page.getByLabel("Confirm password").fill("password1")
  await page.keyboard.press("Enter")
  await expect(page.getByRole("main").getByText(/too easy to guess/)).toBeVisible()
  await page.getByLabel("New password").fill("chosen after the mail")
  await page.getByLabel("Confirm password").fill("chosen after the mail")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Password updated successfully. Please log in with it")
  await expect
    .poll(() => mails.received.map(({ subject }) => subject), eventually)
    .toEqual(["Your Envkeep password was changed"])
  mails.received.length = 0

  await page.goto("/")
  await page.goto(link)
  await expect(page.getByRole("main").getByText("This link has been used already")).toBeVisible()
  await page.getByRole("link", { name: "Ask for another link" }).click()
  await expect(page).toHaveURL("/forgot")
})

test("an invitation is sent, and its link leads to the collection", long, async ({ page, given, mails, browser }) => {
  await given.user()
  const id = await given.collection("billing")
  await page.goto(`/collection/${id}/sharing`)
  await page.getByLabel("Send to (optional)").fill("bob@example.com")
  await page.getByRole("button", { name: "Create link" }).click()
  await expect(page.getByText("We send it to bob@example.com.")).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await expect.poll(() => mails.received.map(({ to }) => to), eventually).toContain("bob@example.com")
  const mail = mails.received.find(({ to }) => to === "bob@example.com")
  const [link = ""] = /http:\S+\/invitation#\S+/.exec(mail?.text ?? "") ?? []
  const bob = await browser.newPage()
  await bob.goto(link)
  await expect(bob.getByText("billing")).toBeVisible()
  await bob.getByRole("main").getByRole("link", { name: "Register" }).click()
  await bob.getByLabel("Username").fill("bob")
  await bob.getByLabel("Email").fill("bob@example.com")
  await bob.getByLabel("Password", { exact: true }).fill(password)
  await bob.getByLabel("Confirm password").fill(password)
  await bob.keyboard.press("Enter")
  await expect(bob).toHaveURL("/login")
  await bob.close()
})
