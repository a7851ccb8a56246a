import { sentences } from "@envkeep/contract"
import { screen, waitFor, within } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { open, testApp } from "../test/open.tsx"

const meta = document.createElement("meta")
meta.name = "envkeep-mail"
document.head.append(meta)
afterEach(() => {
  meta.content = ""
})

// Nothing listens there: mails wait, and the screens do not.
const env = { SMTP_URL: "smtp://127.0.0.1:1", PUBLIC_URL: "http://localhost" }

test("with mail, a guest asks for a link to set a new password, and learns nothing about the account", async () => {
  meta.content = "on"
  const app = await testApp({ env })
  const { user, path } = open("/login", app.guest)
  await user.click(await screen.findByRole("link", { name: "Forgot your password?" }))
  await screen.findByRole("heading", { name: "Forgot your password?" })
  expect(path()).toBe("/forgot")
  await user.click(screen.getByRole("button", { name: "Send the link" }))
  await waitFor(() => expect(screen.getAllByText("Please enter your email").length).toBeGreaterThan(0))
  await user.type(screen.getByLabelText("Email"), "stranger@example.com{Enter}")
  await screen.findByText(/If there is an account with the email stranger@example.com, a link is on its way/)
})

test("with mail, an invitation can be sent, and the screen says where", async () => {
  meta.content = "on"
  const app = await testApp({ env })
  const ann = await app.user()
  const { id } = await ann.collection("billing")
  const { user } = open(`/collection/${id}/sharing`, ann)
  const form = await screen.findByRole("form", { name: "Create an invitation link" })
  await user.type(within(form).getByLabelText("Send to (optional)"), "nonsense")
  await user.click(within(form).getByRole("button", { name: "Create link" }))
  await waitFor(() => expect(screen.getAllByText("Please enter a valid email address").length).toBeGreaterThan(0))
  await user.clear(within(form).getByLabelText("Send to (optional)"))
  await user.type(within(form).getByLabelText("Send to (optional)"), "bob@example.com")
  await user.click(within(form).getByRole("button", { name: "Create link" }))
  await screen.findByText("We send it to bob@example.com. You can copy it too: it is not shown again.")
  await user.click(screen.getByRole("button", { name: "Done" }))
  // Without an address, it is only shown.
  await user.click(await screen.findByRole("button", { name: "Create link" }))
  await screen.findByText("Copy it now. It is not shown again.")
})

test("with mail, administrators see whether mails arrive", async () => {
  meta.content = "on"
  const app = await testApp({ env })
  const admin = await app.admin()
  await app.guest.post("/users/password/forgot", { email: admin.email })
  await app.sendMail()
  open("/admin/dashboard", admin)
  const section = await screen.findByRole("region", { name: "Mail" })
  await within(section).findByText("Waiting to be sent: 1.")
  await within(section).findByText(/^Last failure, .*: the mail server cannot be reached\.$/)
})

test("with mail, a user without a password is led to the page that mails a link to set one", async () => {
  meta.content = "on"
  const app = await testApp({ env })
  const ann = await app.user()
  await app.db.updateTable("user").set({ password_hash: "" }).execute()
  const { user, path } = open("/user/dashboard", ann)
  await user.click(await screen.findByRole("link", { name: "let us mail you a link" }))
  await screen.findByRole("button", { name: "Send the link" })
  expect(path()).toBe("/forgot")
})

test("without mail, no screen is about it", async () => {
  const app = await testApp()
  open("/login", app.guest)
  await screen.findByRole("link", { name: "administrator of this server" })
  expect(screen.queryByRole("link", { name: "Forgot your password?" })).toBeNull()
})

test("without mail, there is no page to ask for a link", async () => {
  const app = await testApp()
  open("/forgot", app.guest)
  await screen.findByRole("heading", { name: "404" })
})

test("that a password is common is said under its field", async () => {
  const app = await testApp()
  const { user } = open("/register", app.guest)
  await user.type(await screen.findByLabelText("Username"), "ann")
  await user.type(screen.getByLabelText("Email"), "ann@example.com")
  await user.type(screen.getByLabelText("Password"), "password1")
  await user.type(screen.getByLabelText("Confirm password"), "password1{Enter}")
  const field = screen.getByLabelText("Password")
  await waitFor(() => expect(field.getAttribute("aria-invalid")).toBe("true"))
  const ids = field.getAttribute("aria-describedby")?.split(" ") ?? []
  expect(ids.map((id) => document.getElementById(id)?.textContent)).toContain(sentences.passwordCommon)
})
