import { signInProblems } from "@envkeep/contract"
import { password } from "@envkeep/testing/app.ts"
import { codeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor, within } from "@testing-library/react"
import type { UserEvent } from "@testing-library/user-event"
import { expect, onTestFinished, test } from "vitest"
import { onSessionAnnounced } from "../../../lib/other-tabs.ts"
import { recheckUser } from "../../../lib/state.ts"
import { open, testApp } from "../../../test/open.tsx"

/** Types the first code of the secret that the page shows. */
async function enterFirstCode(user: UserEvent): Promise<void> {
  expect(await screen.findByRole("img", { name: "QR code for your authenticator app" })).toBeDefined()
  const shown = document.querySelector(".totp-setup code")?.textContent ?? ""
  await user.type(screen.getByLabelText("Code"), `${codeOf(shown.replaceAll(/\s/g, ""))}{Enter}`)
}

const shownCodes = (dialog: Pick<typeof screen, "getByRole"> = screen) =>
  within(dialog.getByRole("list", { name: "Recovery codes" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent)

test("an authenticator app is set up, gives recovery codes once, and is switched off", async () => {
  const app = await testApp()
  const ann = await app.user()
  await app.guest.post("/users/login", { email: ann.email, password })
  const { user } = open("/user/dashboard", ann)
  const sessions = within(await screen.findByRole("list", { name: "Sessions" }))
  expect(sessions.getAllByRole("listitem")).toHaveLength(2)
  await user.click(await screen.findByRole("button", { name: "Set up an authenticator app" }))
  await enterFirstCode(user)
  await screen.findByText("Authenticator app switched on")
  expect(shownCodes()).toHaveLength(10)
  await user.click(screen.getByRole("button", { name: "I have saved them" }))
  const codes = await screen.findByRole("listitem", { name: "Recovery codes" })
  expect(within(codes).getByText(/^10 codes are left/)).toBeDefined()
  // The other session began with the password alone.
  expect(sessions.getAllByRole("listitem")).toHaveLength(1)

  await user.click(within(codes).getByRole("button", { name: "Make new recovery codes" }))
  await user.click(await screen.findByRole("button", { name: "Make new codes" }))
  // The first ones may still be leaving.
  const renewed = within(await screen.findByRole("dialog", { name: "Your new recovery codes" }))
  expect(shownCodes(renewed)).toHaveLength(10)
  await user.click(renewed.getByRole("button", { name: "I have saved them" }))

  await user.click(screen.getByRole("button", { name: "Switch off the authenticator app" }))
  await user.click(await screen.findByRole("button", { name: "Switch off" }))
  expect(await screen.findByRole("button", { name: "Set up an authenticator app" })).toBeDefined()
  expect(screen.queryByRole("listitem", { name: "Recovery codes" })).toBeNull()
})

test("where a second factor is required, every page leads to its set-up, which leads back to that page", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = await app.user()
  const { user, path } = open("/collection/new?problem=other-account", ann)
  await screen.findByRole("heading", { name: "Set up a second factor" })
  expect(path()).toBe("/user/second-factor")
  await user.click(screen.getByRole("button", { name: "Set up an authenticator app" }))
  await enterFirstCode(user)
  await screen.findByText("Authenticator app switched on")
  expect(shownCodes()).toHaveLength(10)
  await user.click(screen.getByRole("button", { name: "I have saved them" }))
  await waitFor(() => expect(path()).toBe("/collection/new"))
  expect(await screen.findByRole("heading", { name: "New Collection" })).toBeDefined()
  // It was said before.
  expect(screen.getAllByText(signInProblems["other-account"])).toHaveLength(1)
})

test("of two tabs, the second does not replace the secret of the first, and goes on with it", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = await app.user()
  const { user, path } = open("/user/second-factor", ann)
  await user.click(await screen.findByRole("button", { name: "Set up an authenticator app" }))
  const secondTab = open("/user/second-factor", ann)
  onTestFinished(onSessionAnnounced(() => void recheckUser(secondTab.client)))
  await screen.findByRole("button", { name: "Set up an authenticator app" })
  await enterFirstCode(user)
  await waitFor(() => expect(secondTab.path()).toBe("/collection/dashboard"))
  // The first stays until its recovery codes are saved.
  expect(path()).toBe("/user/second-factor")
  expect(shownCodes()).toHaveLength(10)
})

test("where a second factor is required, its set-up says what came of a visit to a provider", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const { path } = open("/user/dashboard?problem=other-account", await app.user())
  await screen.findByText(signInProblems["other-account"])
  expect(path()).toBe("/user/second-factor")
})

test("few recovery codes are pointed out", async () => {
  const app = await testApp()
  const ann = await app.user()
  await setUpTotp(ann)
  const kept = app.db.selectFrom("recovery_code").select("id").limit(1)
  await app.db.deleteFrom("recovery_code").where("id", "not in", kept).execute()
  open("/user/dashboard", ann)
  const codes = await screen.findByRole("listitem", { name: "Recovery codes" })
  expect(within(codes).getByText("Few left")).toBeDefined()
  expect(within(codes).getByText(/^1 code is left/)).toBeDefined()
})
