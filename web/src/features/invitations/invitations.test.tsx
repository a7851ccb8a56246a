import { password } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { unreachable } from "../../lib/api.ts"
import { dropInvitation, heldInvitation, holdInvitation } from "../../lib/held-invitation.ts"
import { recheckUser } from "../../lib/state.ts"
import { open, testApp } from "../../test/open.tsx"

const meta = document.createElement("meta")
meta.name = "envkeep-registration"
document.head.append(meta)
afterEach(() => {
  meta.content = ""
  dropInvitation()
})

test("a guest who logs in comes back to the invitation, accepts it and is in the collection", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection("billing")
  const { body } = await ann.post<{ secret: string }>(`/collections/${id}/invitations`, { role: "reader" })
  const { user, path } = open(`/invitation#${body.data.secret}`, app.guest)
  await screen.findByText("billing")
  await user.click(screen.getByRole("link", { name: "I have an account" }))
  await user.type(await screen.findByLabelText("Email"), bob.email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await user.click(await screen.findByRole("button", { name: "Accept" }))
  await waitFor(() => expect(path()).toBe(`/collection/${id}`))
  await screen.findByText("Reader")
  expect(heldInvitation()).toBeUndefined()
})

test("an invitation that could not be accepted can be tried again", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection("billing")
  const { body } = await ann.post<{ secret: string }>(`/collections/${id}/invitations`, { role: "reader" })
  const { user, fail } = open(`/invitation#${body.data.secret}`, bob)
  const accept = await screen.findByRole("button", { name: "Accept" })
  fail("POST /api/invitations/accept")
  await user.click(accept)
  await screen.findByText(unreachable)
  expect(screen.getByRole("button", { name: "Accept" })).toBeDefined()
  expect(screen.queryByText(/^Ask the person/)).toBeNull()
  expect(heldInvitation()).toBe(body.data.secret)
})

test("an invitation that was revoked while it was on the screen says so, and is not kept", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection("billing")
  const { body } = await ann.post<{ secret: string; id: number }>(`/collections/${id}/invitations`, { role: "reader" })
  const { user } = open(`/invitation#${body.data.secret}`, bob)
  const accept = await screen.findByRole("button", { name: "Accept" })
  await ann.delete(`/collections/${id}/invitations/${body.data.id}`)
  await user.click(accept)
  await screen.findByText(/^Ask the person/)
  expect(screen.queryByRole("button", { name: "Accept" })).toBeNull()
  expect(heldInvitation()).toBeUndefined()
})

test("where a second factor is required, a guest who logs in sets one up and then accepts", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const [ann, bob] = [await app.user(), await app.user()]
  await setUpTotp(ann)
  const { id } = await ann.collection("billing")
  const { body } = await ann.post<{ secret: string }>(`/collections/${id}/invitations`, { role: "reader" })
  const { user, path, client } = open(`/invitation#${body.data.secret}`, app.guest)
  await user.click(await screen.findByRole("link", { name: "I have an account" }))
  await user.type(await screen.findByLabelText("Email"), bob.email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await screen.findByRole("heading", { name: "Set up a second factor" })
  expect(path()).toBe("/user/second-factor")
  await setUpTotp(app.guest)
  await recheckUser(client)
  await user.click(await screen.findByRole("button", { name: "Accept" }))
  await waitFor(() => expect(path()).toBe(`/collection/${id}`))
})

test("a registration goes on without the invitation, and with what was typed", async () => {
  const app = await testApp()
  holdInvitation("of another server")
  const { user } = open("/register", app.guest)
  const typed = { Username: "ann", Email: "ann@example.com", Password: password, "Confirm password": password }
  for (const [label, text] of Object.entries(typed)) await user.type(await screen.findByLabelText(label), text)
  await user.click(screen.getByRole("button", { name: "Continue without it" }))
  for (const [label, text] of Object.entries(typed)) expect(screen.getByLabelText(label)).toHaveProperty("value", text)
  expect(document.activeElement).toBe(screen.getByLabelText("Username"))
  await user.click(screen.getByRole("button", { name: "Register" }))
  await screen.findByText("Registered successfully")
})

test("a link that is not valid says so, and is not kept", async () => {
  const app = await testApp()
  open("/invitation#none", app.guest)
  // In the notification and on the page.
  await waitFor(() => expect(screen.getAllByText("This invitation is not valid")).toHaveLength(2))
  expect(heldInvitation()).toBeUndefined()
})

test.each([
  ["closed", "New accounts cannot be made on this server"],
  ["invited", "You need an invitation to make an account on this server"],
])("where registration is %s, it is not offered and its page says why", async (mode, sentence) => {
  meta.content = mode
  const app = await testApp()
  open("/register", app.guest)
  await screen.findByText(sentence)
  expect(screen.queryByLabelText("Username")).toBeNull()
  expect(screen.queryByRole("link", { name: "Register" })).toBeNull()
})
