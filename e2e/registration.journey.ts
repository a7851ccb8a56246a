import { registerSecretsIn } from "@envkeep/testing/leaks.ts"
import { admin, type Server, startServer } from "./server.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

let server: Server
test.afterEach(() => server.dispose())

test("where registration is for the invited, a link from an administrator makes an account", async ({ browser }) => {
  test.slow()
  server = await startServer({ ENVKEEP_REGISTRATION: "invited" })
  const [boss, guest] = [await browser.newPage({ baseURL: server.url }), await browser.newPage({ baseURL: server.url })]
  await guest.goto("/register")
  await expect(guest.getByText("You need an invitation to make an account on this server")).toBeVisible()
  await expect(guest.getByRole("link", { name: "Register" })).toHaveCount(0)

  await boss.request.post("/api/users/login", { data: admin })
  await boss.goto("/admin/users")
  await boss.getByRole("link", { name: "Invitations" }).click()
  await boss.getByRole("button", { name: "Create link" }).click()
  const link = await boss.getByLabel("Invitation link", { exact: true }).inputValue()
  registerSecretsIn({ secret: new URL(link).hash.slice(1) })

  await guest.goto(link)
  await expect(guest.getByText("invites you to make an account on this server")).toBeVisible()
  await guest.getByRole("main").getByRole("link", { name: "Register" }).click()
  await guest.getByLabel("Username").fill("carol")
  await guest.getByLabel("Email").fill("carol@example.com")
  await guest.getByLabel("Password", { exact: true }).fill(password)
  await guest.getByLabel("Confirm password").fill(password)
  await guest.getByRole("button", { name: "Register" }).click()
  await expect(guest.getByRole("heading", { name: "Login" })).toBeVisible()
  await guest.getByLabel("Password", { exact: true }).fill(password)
  await guest.getByRole("button", { name: "Login" }).click()
  await expectNotification(guest, "Logged in successfully")
  await boss.reload()
  await expect(boss.getByRole("list", { name: "Invitation links" })).toContainText("1 of 1 used")
  for (const page of [boss, guest]) await page.close()
})

test(
  "where registration is closed, it is not offered, and an invitation to an account does not help",
  long,
  async ({ browser }) => {
    server = await startServer({ ENVKEEP_REGISTRATION: "closed" })
    const [boss, guest] = [
      await browser.newPage({ baseURL: server.url }),
      await browser.newPage({ baseURL: server.url }),
    ]
    await guest.goto("/register")
    await expect(guest.getByText("New accounts cannot be made on this server")).toBeVisible()
    await expect(guest.getByRole("link", { name: "Register" })).toHaveCount(0)

    await boss.request.post("/api/users/login", { data: admin })
    await boss.goto("/admin/dashboard")
    await boss.getByRole("link", { name: "Invitations" }).click()
    await expect(boss.getByText("Registration is closed on this server")).toBeVisible()
    await expect(boss.getByRole("button", { name: "Create link" })).toHaveCount(0)

    // One from before it was closed.
    const made = await boss.request.post("/api/admin/invitations", { data: { maxUses: 1, days: 7 } })
    const { secret } = ((await made.json()) as { data: { secret: string } }).data
    await guest.goto(`/invitation#${secret}`)
    await expect(guest.getByRole("main").getByText("New accounts cannot be made on this server")).toBeVisible()
    for (const page of [boss, guest]) await page.close()
  },
)
