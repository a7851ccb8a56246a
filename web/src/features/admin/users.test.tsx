import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("the list of users marks those who have a second factor", async () => {
  const app = await testApp()
  const [admin, ann, bob] = [await app.admin(), await app.user(), await app.user()]
  await setUpTotp(ann)
  open("/admin/users", admin)
  const rowOf = async (email: string) => within((await screen.findByText(email)).closest("tr, li") as HTMLElement)
  expect((await rowOf(ann.email)).getByText("2FA").title).toBe("Has a second factor")
  expect((await rowOf(bob.email)).queryByText("2FA")).toBeNull()
})
