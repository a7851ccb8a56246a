import type { ClaimedTeam } from "@envkeep/contract"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { screen } from "@testing-library/react"
import { afterEach, beforeEach, expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

const meta = document.createElement("meta")
meta.name = "envkeep-sign-in-providers"
beforeEach(() => {
  meta.content = JSON.stringify([{ name: "acme", label: "Acme", mayRegister: true }])
  document.head.append(meta)
})
afterEach(() => meta.remove())

test("an administrator ties a team to a value of the claim, sees who can change it, and unties it", async () => {
  const app = await testApp({ env: settingsFor("http://localhost:1", { TEAM_CLAIM: "groups" }) })
  const [admin, ann] = [await app.admin(), await app.user()]
  const { id } = (await ann.post<{ id: number }>("/teams", { name: "Operations" })).body.data
  const { user } = open("/admin/dashboard", admin)
  await screen.findByText("The claim fills no team yet.")
  await user.click(screen.getByRole("button", { name: "Tie" }))
  await screen.findAllByText("Value is required")
  await user.type(screen.getByLabelText("Value in the claim"), "ops")
  await user.type(screen.getByLabelText("Number of the team"), String(id))
  await user.click(screen.getByRole("button", { name: "Tie" }))
  await screen.findByText(`Number ${id} · 1 member · changed by someone (${ann.email})`)
  const stored = async () => (await admin.get<{ teams: ClaimedTeam[] }>("/admin/claimed-teams")).body.data.teams
  expect(await stored()).toMatchObject([{ id, value: "ops" }])

  await user.click(screen.getByRole("button", { name: "Untie Operations" }))
  await screen.findByText("The claim fills no team yet.")
  expect(await stored()).toEqual([])
})

test("without a claim, the dashboard says nothing of teams", async () => {
  const app = await testApp({ env: settingsFor("http://localhost:1") })
  const { calls } = open("/admin/dashboard", await app.admin())
  await screen.findByText(/^Counted/)
  await expect.poll(() => calls).toContain("GET /api/admin/claimed-teams")
  await expect.poll(() => screen.queryByText("Teams of the sign-in providers")).toBeNull()
})
