import { password } from "@envkeep/testing/app.ts"
import { screen, waitFor } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { dropInvitation, heldInvitation } from "../../lib/held-invitation.ts"
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
