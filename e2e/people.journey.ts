import type { Browser, Page } from "@playwright/test"
import { chooseMore, expect, expectNotification, long, password, test } from "./test.ts"

/** Another person's browser. */
async function browserOf(browser: Browser, baseURL: string | undefined, email?: string): Promise<Page> {
  const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) })
  const page = await context.newPage()
  if (email !== undefined) await page.request.post("/api/users/login", { data: { email, password } })
  return page
}

const environmentOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const rowOf = (page: Page, name: string) => page.getByRole("listitem", { name, exact: true })

/** Opens a path of a collection, and waits until the page follows the collection's changes. */
async function openLive(page: Page, path: string): Promise<void> {
  const live = page.waitForResponse("**/live")
  await page.goto(path)
  await live
}

/** Creates a link on the page that is open, and returns it. */
async function createLink(page: Page): Promise<string> {
  await page.getByRole("button", { name: "Create link" }).click()
  await expect(page.getByRole("button", { name: "Copy link" })).toBeFocused()
  const link = await page.getByLabel("Invitation link", { exact: true }).inputValue()
  await expectNotification(page, "Invitation created successfully")
  await page.getByRole("button", { name: "Done" }).click()
  await expect(page.getByRole("button", { name: "Create link" })).toBeFocused()
  return link
}

test("three people share a collection: invited, edited, and lost while it is open", async ({
  page: ann,
  given,
  browser,
  baseURL,
}) => {
  test.slow()
  const { username: annName } = await given.user()
  const { username: bobName, email: bobEmail } = await given.account()
  const id = await given.collection("billing-api")
  const production = await given.environment(id, "production", [{ name: "LOG_LEVEL", value: "info" }])

  // Added by name, as a viewer: names, and nothing to change.
  await openLive(ann, `/collection/${id}/sharing`)
  const addPerson = ann.getByRole("form", { name: "Add a person" })
  await addPerson.getByLabel("Username or email").fill("nobody-has-this-name")
  await addPerson.getByRole("button", { name: "Add" }).click()
  await expect(addPerson.getByText("There is no account with this username or email")).toBeVisible()
  await addPerson.getByLabel("Username or email").fill(bobName)
  await addPerson.getByLabel("Role").selectOption("Viewer")
  await addPerson.getByRole("button", { name: "Add" }).click()
  await expectNotification(ann, "Member added successfully")

  const bob = await browserOf(browser, baseURL, bobEmail)
  await bob.goto("/collection/dashboard")
  await expect(bob.getByRole("link", { name: /billing-api/ })).toContainText("Viewer")
  await openLive(bob, `/collection/${id}?env=${production}`)
  await expect(bob.getByText("Values are hidden: your role is viewer.")).toBeVisible()
  await expect(rowOf(bob, "LOG_LEVEL").getByRole("button")).toHaveText(["About", "History"])
  for (const name of ["Add item", "Import", "Export", "Create environment", "Delete collection", "Edit name"]) {
    await expect(bob.getByRole("button", { name })).toHaveCount(0)
  }
  await expect(bob.getByRole("link", { name: "Activity" })).toHaveCount(0)

  // Invited by a link, without an account. The secret does not stay in the address.
  await ann.getByRole("form", { name: "Create an invitation link" }).getByLabel("Role").selectOption("Editor")
  const link = await createLink(ann)
  const carol = await browserOf(browser, baseURL)
  await carol.goto(link)
  await expect(carol.getByText(`${annName} invites you to the collection billing-api as editor.`)).toBeVisible()
  await expect(carol).toHaveURL("/invitation")
  await carol.getByRole("main").getByRole("link", { name: "Register" }).click()
  await carol.getByLabel("Username").fill(`carol of ${annName}`)
  await carol.getByLabel("Email").fill(`carol-${annName}@example.com`)
  await carol.getByLabel("Password", { exact: true }).fill(password)
  await carol.getByLabel("Confirm password").fill(password)
  await carol.getByRole("button", { name: "Register" }).click()
  await expect(carol.getByRole("heading", { name: "Login" })).toBeVisible()
  await carol.getByLabel("Password", { exact: true }).fill(password)
  await carol.getByRole("button", { name: "Login" }).click()
  await carol.getByRole("link", { name: /billing-api/ }).click()
  await openLive(carol, `/collection/${id}?env=${production}`)
  const late = await browserOf(browser, baseURL)
  await late.goto(link)
  await expect(late.getByRole("main").getByText("This invitation has been used already")).toBeVisible()
  await expect(late.getByText("billing-api")).toHaveCount(0)
  const unwanted = await createLink(ann)
  await ann.getByRole("button", { name: "Revoke" }).click()
  await ann.getByRole("dialog").getByRole("button", { name: "Revoke" }).click()
  await expectNotification(ann, "Invitation revoked successfully")
  await expect(ann.getByRole("list", { name: "Invitation links" })).toContainText("Revoked")
  await late.goto(unwanted)
  await expect(late.getByRole("main").getByText("This invitation has been revoked")).toBeVisible()
  await late.context().close()

  // An edit of one is on the screens of the others.
  await openLive(ann, `/collection/${id}?env=${production}`)
  await rowOf(carol, "LOG_LEVEL").getByLabel("Value").fill("debug")
  await rowOf(carol, "LOG_LEVEL").getByRole("button", { name: "Save" }).click()
  await expect(rowOf(ann, "LOG_LEVEL").getByLabel("Value")).toHaveValue("debug")

  // Another role, and protection, show at once.
  await openLive(ann, `/collection/${id}/sharing`)
  await ann.getByLabel(`Role of ${bobName}`).selectOption("Reader")
  await expectNotification(ann, "Role changed successfully")
  await expectNotification(bob, "Your role in billing-api is now reader")
  await rowOf(bob, "LOG_LEVEL").getByRole("button", { name: "Show value" }).click()
  await expect(rowOf(bob, "LOG_LEVEL").getByText("debug")).toBeVisible()
  await expect(bob.getByRole("button", { name: "Add item" })).toHaveCount(0)
  await ann.getByRole("link", { name: "billing-api" }).click()
  await chooseMore(environmentOf(ann, "production"), "Protect")
  await ann.getByRole("dialog").getByRole("button", { name: "Protect" }).click()
  await expectNotification(ann, "Protection changed successfully")
  await expect(environmentOf(ann, "production").getByText("Protected")).toBeVisible()
  for (const page of [bob, carol]) {
    await expectNotification(page, "The environment production is now protected")
    await expect(page.getByText("Values are hidden: this environment is protected.", { exact: false })).toBeVisible()
    await expect(page.getByText("debug")).toHaveCount(0)
  }

  // Removed while the page is open.
  await ann.getByRole("link", { name: "Sharing" }).click()
  await ann.getByRole("button", { name: `Remove carol of ${annName}` }).click()
  await ann.getByRole("dialog").getByRole("button", { name: "Remove" }).click()
  await expectNotification(ann, "Member removed successfully")
  await expect(ann.getByRole("heading", { name: "People" })).toBeFocused()
  await expectNotification(carol, "billing-api is no longer available: it was deleted, or your access has ended")
  await expect(carol).toHaveURL("/collection/dashboard")
  await expect(carol.getByRole("link", { name: /billing-api/ })).toHaveCount(0)

  // Given away: another person accepts that they own it, and the owner before stays as a maintainer, who can leave.
  await ann.getByRole("button", { name: "Transfer…" }).click()
  await ann.getByRole("dialog").getByLabel("New owner").selectOption(`${bobName} (${bobEmail})`)
  await ann.getByRole("dialog").getByRole("button", { name: "Send request" }).click()
  await expectNotification(ann, "Request sent. The collection stays yours until it is accepted")
  await expect(ann.getByText(`${bobName} is asked to take the collection over`)).toBeVisible()
  await bob.goto("/collection/dashboard")
  const request = bob.getByRole("list", { name: "Collections to take over" }).getByRole("listitem")
  await request.getByRole("button", { name: "Refuse" }).click()
  await expectNotification(bob, "The request has ended")
  await expect(request).toHaveCount(0)
  await ann.reload()
  await expect(ann.getByRole("button", { name: "Transfer…" })).toBeVisible()
  await expect(ann.getByText(`${bobName} is asked to take the collection over`)).toHaveCount(0)

  await ann.getByRole("button", { name: "Transfer…" }).click()
  await ann.getByRole("dialog").getByLabel("New owner").selectOption(`${bobName} (${bobEmail})`)
  await ann.getByRole("dialog").getByRole("button", { name: "Send request" }).click()
  await bob.reload()
  await expect(request).toContainText(`${annName} asks you to take over billing-api`)
  await request.getByRole("button", { name: "Accept…" }).click()
  await bob.getByRole("dialog").getByRole("button", { name: "Take over" }).click()
  await expectNotification(bob, "The collection counts for your account now")
  await expect(request).toHaveCount(0)
  await openLive(bob, `/collection/${id}?env=${production}`)
  await expect(rowOf(bob, "LOG_LEVEL").getByLabel("Value")).toHaveValue("debug")
  await expect(bob.getByRole("button", { name: "Delete collection" })).toBeVisible()
  await expect(ann.getByLabel(`Role of ${bobName}`)).toHaveCount(0)
  await ann.getByRole("button", { name: "Leave" }).click()
  await ann.getByRole("dialog").getByRole("button", { name: "Leave" }).click()
  await expectNotification(ann, "You have left the collection")
  await expect(ann).toHaveURL("/collection/dashboard")
  await expect(ann.getByRole("link", { name: /billing-api/ })).toHaveCount(0)
  for (const page of [bob, carol]) await page.context().close()
})

test(
  "losing a collection takes its values off every screen, however long it has been open",
  long,
  async ({ page: ann, given, browser, baseURL }) => {
    test.slow()
    await given.user()
    const { username, email } = await given.account()
    const id = await given.collection("billing-api")
    const production = await given.environment(id, "production", [{ name: "LOG_LEVEL", value: "verbose-once" }])
    await given.environment(id, "staging", [{ name: "LOG_LEVEL", value: "verbose-twice" }])
    const added = await ann.request.post(`/api/collections/${id}/members`, { data: { who: username, role: "reader" } })
    const { userId } = ((await added.json()) as { data: { userId: number } }).data

    const bob = await browserOf(browser, baseURL, email)
    const screens = [bob, ...(await Promise.all([1, 2, 3, 4].map(() => bob.context().newPage())))]
    const paths = [`?env=${production}`, "/compare", `/history/${production}`, "/names", "/sharing"]
    for (const [index, screen] of screens.entries()) {
      await screen.clock.install()
      await screen.goto(`/collection/${id}${paths[index]}`)
      await expect(screen.getByRole("main").getByRole("link", { name: /Dashboard|billing-api/ })).toBeVisible()
    }
    await rowOf(bob, "LOG_LEVEL").getByRole("button", { name: "Show value" }).click()
    await expect(bob.getByText("verbose-once")).toBeVisible()
    // What no screen has needed for a while is dropped, the list of collections among it.
    for (const screen of screens) await screen.clock.fastForward(10 * 60_000)

    await ann.request.delete(`/api/collections/${id}/members/${userId}`)

    for (const screen of screens) {
      await expectNotification(screen, "billing-api is no longer available: it was deleted, or your access has ended")
      await expect(screen).toHaveURL("/collection/dashboard")
      await expect(screen.getByText(/verbose|LOG_LEVEL|billing-api/)).toHaveCount(0)
    }
    await bob.context().close()
  },
)

test(
  "access that ends while a page does not hear of it closes the page when it connects again",
  long,
  async ({ page: ann, given, browser, baseURL }) => {
    await given.user()
    const { username, email } = await given.account()
    const id = await given.collection("billing-api")
    const production = await given.environment(id, "production", [{ name: "LOG_LEVEL", value: "verbose-once" }])
    const added = await ann.request.post(`/api/collections/${id}/members`, { data: { who: username, role: "reader" } })
    const { userId } = ((await added.json()) as { data: { userId: number } }).data
    const bob = await browserOf(browser, baseURL, email)
    await bob.route("**/live", (route) => route.abort())
    await bob.goto(`/collection/${id}?env=${production}`)
    await expect(rowOf(bob, "LOG_LEVEL").getByRole("button", { name: "Show value" })).toBeVisible()

    await ann.request.delete(`/api/collections/${id}/members/${userId}`)
    await bob.unroute("**/live")

    await expectNotification(bob, "billing-api is no longer available: it was deleted, or your access has ended")
    await expect(bob).toHaveURL("/collection/dashboard")
    await bob.context().close()
  },
)

test(
  "a member who leaves is not told that the collection ended, even if the page hears of that first",
  long,
  async ({ page: ann, given, browser, baseURL }) => {
    const ended = "billing-api is no longer available: it was deleted, or your access has ended"
    await given.user()
    const { username, email } = await given.account()
    const id = await given.collection("billing-api")
    await ann.request.post(`/api/collections/${id}/members`, { data: { who: username, role: "reader" } })
    const bob = await browserOf(browser, baseURL, email)
    await openLive(bob, `/collection/${id}/sharing`)
    const otherTab = await bob.context().newPage()
    await otherTab.goto(`/collection/${id}`)
    await expect(otherTab.getByRole("heading", { name: "billing-api" })).toBeVisible()
    const endHeard = Promise.withResolvers<void>()
    await bob.route("**/leave", async (route) => {
      const response = await route.fetch()
      await endHeard.promise
      await route.fulfill({ response })
    })
    const asked: string[] = []

    await bob.getByRole("button", { name: "Leave" }).click()
    await bob.getByRole("dialog").getByRole("button", { name: "Leave" }).click()
    await expectNotification(otherTab, ended)
    bob.on("request", (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))
    endHeard.resolve()

    await expectNotification(bob, "You have left the collection")
    await expect(bob).toHaveURL("/collection/dashboard")
    await expect(bob.getByText(ended)).toHaveCount(0)
    expect(asked).not.toContain(`GET /api/collection/${id}`)
    await bob.context().close()
  },
)

test(
  "a team gives its members a role, and takes it away when it is deleted",
  long,
  async ({ page: ann, given, browser, baseURL }) => {
    test.slow()
    await given.user()
    const { username: bobName, email: bobEmail } = await given.account()
    const id = await given.collection("billing-api")
    await given.environment(id, "production", [{ name: "LOG_LEVEL", value: "info" }])

    await ann.goto("/user/teams")
    await ann.getByLabel("Team name").fill("payments")
    await ann.getByRole("button", { name: "Create team" }).click()
    await expect(ann.getByRole("heading", { name: "payments" })).toBeVisible()
    const teamUrl = ann.url()
    const link = await createLink(ann)

    // A signed-in user accepts, and is in the team.
    const bob = await browserOf(browser, baseURL, bobEmail)
    await bob.goto(link)
    await bob.getByRole("button", { name: "Accept" }).click()
    await expect(bob).toHaveURL(teamUrl)
    await expect(bob.getByText("No collection is shared with this team yet.")).toBeVisible()
    await expect(bob.getByRole("button", { name: "Delete team" })).toHaveCount(0)

    await ann.goto(`/collection/${id}/sharing`)
    const addTeam = ann.getByRole("form", { name: "Add a team" })
    await addTeam.getByLabel("Role").selectOption("Editor")
    await addTeam.getByRole("button", { name: "Add" }).click()
    await expectNotification(ann, "Team added successfully")
    await expect(ann.getByLabel("Role of payments")).toHaveValue("editor")

    await bob.reload()
    await bob.getByRole("link", { name: "billing-api" }).click()
    await openLive(bob, `/collection/${id}`)
    await expect(environmentOf(bob, "production").getByRole("button", { name: "Import" })).toBeVisible()

    // What is lost is said first.
    await ann.goto(teamUrl)
    await ann.getByRole("button", { name: "Delete team" }).click()
    const lost = ann.getByRole("dialog").getByRole("listitem")
    await expect(lost).toHaveText([/^2 members: .*/, "1 collection: billing-api (editor)"])
    await expect(lost.first()).toContainText(bobName)
    await ann.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expectNotification(ann, "Team deleted successfully")
    await expect(ann).toHaveURL("/user/teams")
    await expectNotification(bob, "billing-api is no longer available: it was deleted, or your access has ended")
    await expect(bob).toHaveURL("/collection/dashboard")
    await bob.context().close()
  },
)
