import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

const rowOf = async (email: string) => within((await screen.findByText(email)).closest("tr, li") as HTMLElement)

test("the list of users marks those who have a second factor", async () => {
  const app = await testApp()
  const [admin, ann, bob] = [await app.admin(), await app.user(), await app.user()]
  await setUpTotp(ann)
  open("/admin/users", admin)
  expect((await rowOf(ann.email)).getByText("2FA").title).toBe("Has a second factor")
  expect((await rowOf(bob.email)).queryByText("2FA")).toBeNull()
})

test("administrators who revoke their own rights leave the admin area, and are refused nothing", async () => {
  const app = await testApp()
  const [ann] = [await app.admin(), await app.admin()]
  const { user, path, calls } = open("/admin/users", ann)
  await user.click((await rowOf(ann.email)).getByRole("button", { name: /^Actions for/ }))
  await user.click(await screen.findByRole("menuitem", { name: "Revoke admin" }))
  await user.click(await screen.findByRole("button", { name: "Revoke admin" }))
  await screen.findByText("The account is no longer an administrator")
  await waitFor(() => expect(path()).toBe("/"))
  const revoked = calls.findIndex((call) => call.endsWith("/revoke-admin"))
  expect(calls.slice(revoked + 1)).toEqual(["GET /api/users/me"])
})
