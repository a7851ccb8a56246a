import { password } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { dropCliCode, heldCliCode } from "../../lib/held-cli-code.ts"
import { recheckUser } from "../../lib/state.ts"
import { open, testApp } from "../../test/open.tsx"

type App = Awaited<ReturnType<typeof testApp>>
type Begun = { deviceCode: string; userCode: string }

afterEach(dropCliCode)

const begin = async ({ guest }: App) => (await guest.post<Begun>("/cli/logins", { machine: "ann-laptop" })).body.data
const stateOf = async ({ guest }: App, { deviceCode }: Begun) =>
  (await guest.post<{ state: string; token: { scope: string } | null }>("/cli/logins/poll", { deviceCode })).body.data

test("a guest logs in, checks the code of the link, and approves what the machine may do", async () => {
  const app = await testApp()
  const bob = await app.user()
  const begun = await begin(app)
  const { user, path } = open(`/cli/confirm#${begun.userCode}`, app.guest)
  await user.click(await screen.findByRole("link", { name: "Log in" }))
  await user.type(await screen.findByLabelText("Email"), bob.email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await waitFor(() => expect(path()).toBe("/cli/confirm"))
  await user.click(await screen.findByRole("button", { name: "Continue" }))
  await screen.findByText("Only approve if you started this on your machine")
  expect(screen.getByText(begun.userCode)).toBeTruthy()
  expect(screen.getByText("ann-laptop")).toBeTruthy()
  expect(screen.getByText("127.0.0.0/24")).toBeTruthy()
  await user.click(screen.getByRole("radio", { name: /^Read/ }))
  await user.click(screen.getByRole("button", { name: "Approve" }))
  await screen.findByText(/^Approved\. Your terminal/)
  expect(heldCliCode()).toBeUndefined()
  expect(await stateOf(app, begun)).toMatchObject({ state: "approved", token: { scope: "read" } })
})

test("a code is not left to the person who logs in after a logout on its page", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { user, path } = open(`/cli/confirm#${(await begin(app)).userCode}`, ann)
  await screen.findByLabelText("Code")
  await user.click(screen.getByRole("link", { name: "Logout" }))
  await user.type(await screen.findByLabelText("Email"), bob.email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await waitFor(() => expect(path()).toBe("/collection/dashboard"))
  expect(heldCliCode()).toBeUndefined()
})

test("a wrong code is refused under its field, and a right one can be denied", async () => {
  const app = await testApp()
  const ann = await app.user()
  const begun = await begin(app)
  const { user } = open("/cli/confirm", ann)
  const field = await screen.findByLabelText("Code")
  await user.type(field, "BBBB-BBBB{Enter}")
  await screen.findAllByText(/^There is no login with this code/)
  await user.clear(field)
  await user.type(field, `${begun.userCode.toLowerCase().replace("-", " ")}{Enter}`)
  await user.click(await screen.findByRole("button", { name: "Deny" }))
  await screen.findByText(/^Denied\./)
  expect(await stateOf(app, begun)).toEqual({ state: "denied", token: null })
})

test("where a second factor is required, the code of the link waits for its set-up", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = await app.user()
  const { userCode } = await begin(app)
  const { path, client } = open(`/cli/confirm#${userCode}`, ann)
  await screen.findByRole("heading", { name: "Set up a second factor" })
  expect(path()).toBe("/user/second-factor")
  await setUpTotp(ann)
  await recheckUser(client)
  expect(await screen.findByLabelText("Code")).toHaveProperty("value", userCode)
  expect(path()).toBe("/cli/confirm")
})

test.each(["Approve", "Deny"])(
  "a code that has expired before %s leads back to the field for another",
  async (name) => {
    const app = await testApp()
    const { userCode } = await begin(app)
    const { user } = open(`/cli/confirm#${userCode}`, await app.user())
    await user.click(await screen.findByRole("button", { name: "Continue" }))
    const decide = await screen.findByRole("button", { name })
    await app.db.updateTable("cli_login").set({ expires_at: 0 }).execute()
    await user.click(decide)
    await screen.findByText(/^There is no login with this code/)
    expect(await screen.findByLabelText("Code")).toBeDefined()
  },
)
