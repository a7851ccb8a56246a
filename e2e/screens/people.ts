import type { Page } from "@playwright/test"
import { expect, type Given, password } from "../test.ts"
import { items } from "./example.ts"
import { heading, type Screen } from "./screen.ts"

/** A collection that others have shared with the user of the page. */
async function sharedWith(page: Page, given: Given, role: string): Promise<void> {
  const { email } = await given.account()
  await given.user()
  const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  // Few enough that both are on the screen without scrolling: no row is half under a head that sticks.
  const staging = await given.environment(id, "staging", items.slice(0, 2))
  const production = await given.environment(id, "production", items.slice(0, 2))
  await page.request.put(`/api/environments/${production}/protection`, { data: { isProtected: true } })
  await page.request.post(`/api/collections/${id}/members`, { data: { who: email, role } })
  await page.request.post("/api/users/login", { data: { email, password } })
  await page.goto(`/collection/${id}?env=${staging}&env=${production}`)
  await expect(page.getByText("Values are hidden").first()).toBeVisible()
}

/** A collection that is shared with a person, a team and a link. */
async function sharing(page: Page, given: Given): Promise<{ team: number; secret: string }> {
  const { email } = await given.account()
  await given.user()
  const id = await given.collection("billing-api")
  const post = async (path: string, data: unknown) =>
    ((await (await page.request.post(`/api${path}`, { data })).json()) as { data: { id: number; secret: string } }).data
  await post(`/collections/${id}/members`, { who: email, role: "maintainer" })
  const { id: team } = await post("/teams", { name: "payments" })
  await post(`/teams/${team}/members`, { who: email })
  await post(`/collections/${id}/teams`, { teamId: team, role: "reader" })
  const { secret } = await post(`/collections/${id}/invitations`, { role: "editor", maxUses: 5 })
  await heading(page, `/collection/${id}/sharing`, "Sharing")
  await expect(page.getByRole("button", { name: "Revoke" })).toBeVisible()
  return { team, secret }
}

export const peopleScreens: Screen[] = [
  {
    name: "collection-viewer",
    show: (page, given) => sharedWith(page, given, "viewer"),
  },
  {
    name: "collection-reader",
    show: (page, given) => sharedWith(page, given, "reader"),
  },
  {
    name: "sharing",
    async show(page, given) {
      await sharing(page, given)
      await page.getByText("What can each role do?").click()
    },
  },
  {
    name: "sharing-link",
    async show(page, given) {
      await sharing(page, given)
      await page.getByRole("button", { name: "Create link" }).click()
      await expect(page.getByRole("button", { name: "Copy link" })).toBeVisible()
    },
  },
  {
    name: "dialog-transfer",
    async show(page, given) {
      await sharing(page, given)
      await page.getByRole("button", { name: "Transfer…" }).click()
      await expect(page.getByRole("dialog").getByLabel("New owner")).toBeFocused()
    },
  },
  {
    name: "dashboard-asked",
    async show(page, given) {
      const { email } = await given.account()
      await given.user()
      const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
      const member = await page.request.post(`/api/collections/${id}/members`, { data: { who: email, role: "editor" } })
      const { userId } = (await member.json()).data
      await page.request.post(`/api/collections/${id}/transfer`, { data: { userId } })
      await page.request.post("/api/users/login", { data: { email, password } })
      await page.goto("/collection/dashboard")
      await expect(page.getByRole("button", { name: "Accept…" })).toBeVisible()
    },
  },
  {
    name: "sharing-asked",
    async show(page, given) {
      await sharing(page, given)
      await page.getByRole("button", { name: "Transfer…" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Send request" }).click()
      await expect(page.getByRole("button", { name: "Withdraw" })).toBeVisible()
    },
  },
  {
    name: "history-hidden",
    async show(page, given) {
      await sharedWith(page, given, "reader")
      await page.getByRole("region", { name: "production" }).getByRole("link", { name: "History" }).click()
      await page.getByRole("button", { name: "Revision 2" }).click()
      await expect(page.getByRole("button", { name: "History of DATABASE_URL" })).toBeVisible()
    },
  },
  {
    name: "teams",
    async show(page, given) {
      await sharing(page, given)
      await heading(page, "/user/teams", "Teams")
      await expect(page.getByRole("link", { name: /payments/ })).toBeVisible()
    },
  },
  {
    name: "team",
    async show(page, given) {
      const { team } = await sharing(page, given)
      await heading(page, `/user/teams/${team}`, "payments")
    },
  },
  {
    name: "dialog-delete-team",
    async show(page, given) {
      const { team } = await sharing(page, given)
      await heading(page, `/user/teams/${team}`, "payments")
      await page.getByRole("button", { name: "Delete team" }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "invitation",
    async show(page, given) {
      const { secret } = await sharing(page, given)
      await page.goto(`/invitation#${secret}`)
      await expect(page.getByRole("button", { name: "Accept" })).toBeVisible()
    },
  },
  {
    name: "invitation-refused",
    async show(page) {
      await page.goto("/invitation#none")
      await expect(page.getByRole("main").getByText("This invitation is not valid")).toBeVisible()
    },
  },
]
