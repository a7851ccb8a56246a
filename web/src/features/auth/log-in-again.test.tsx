import type { User } from "@envkeep/contract"
import { password } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { keys, startSession } from "../../lib/state.ts"
import { open, testApp } from "../../test/open.tsx"

test("a session that ends while something is typed goes on after both steps of a login", async () => {
  const app = await testApp()
  const ann = await app.user()
  const totp = await setUpTotp(ann)
  const { user, path } = open("/collection/new", ann)
  await user.type(await screen.findByLabelText("Name"), "billing")
  await app.db.deleteFrom("session").execute()
  await user.click(screen.getByRole("button", { name: "Create" }))

  const dialog = within(await screen.findByRole("dialog", { name: "Your session has ended" }))
  dialog.getByText(ann.email)
  await user.type(dialog.getByLabelText("Your password"), `${password}{Enter}`)
  await user.type(await dialog.findByLabelText("Code"), `${nextCodeOf(totp.secret)}{Enter}`)
  await screen.findByRole("heading", { name: "billing" })
  expect(path()).toMatch(/^\/collection\/\d+$/)
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
})

test("what is typed goes when its user says so, or when someone else logs in", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const someoneElse = (await bob.get<User>("/users/me")).body.data
  const { user, path, client } = open("/collection/new", ann)
  await user.type(await screen.findByLabelText("Name"), "billing")
  await app.db.deleteFrom("session").execute()
  await user.click(screen.getByRole("button", { name: "Create" }))
  await screen.findByRole("dialog", { name: "Your session has ended" })
  client.setQueryData(keys.collections, [])
  startSession(client, someoneElse)
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
  expect(client.getQueryData(keys.collections)).toBeUndefined()
  expect(client.getQueryData(keys.user)).toEqual(someoneElse)

  await user.click(screen.getByRole("button", { name: "Create" }))
  await user.click(await screen.findByRole("button", { name: "Discard and leave" }))
  await waitFor(() => expect(path()).toBe("/login"))
  expect(screen.queryByText("Please log in first")).toBeNull()
})
