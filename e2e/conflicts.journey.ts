import type { Browser, Page } from "@playwright/test"
import { chooseMore, expect, expectNotification, type Given, long, password, test } from "./test.ts"

const environmentOf = (page: Page, name = "production") => page.getByRole("region", { name, exact: true })
const rowOf = (page: Page, name: string) => page.getByRole("listitem", { name, exact: true })
const valueIn = (page: Page, name: string) => rowOf(page, name).getByLabel("Value")
const save = (page: Page, name: string) => rowOf(page, name).getByRole("button", { name: "Save" }).click()
const conflictOf = (page: Page, name: string) => page.getByRole("group", { name: `Conflict over ${name}` })

interface World {
  page: Page
  given: Given
  browser: Browser
  baseURL: string | undefined
}

/** Two browsers that show the same environment: the page, and that of a colleague. */
async function twoBrowsers(
  { page, given, browser, baseURL }: World,
  items: { name: string; value: string }[],
  { colleagueIsLive = true } = {},
) {
  const { email, username } = await given.user()
  const collectionId = await given.collection("billing-api")
  const environmentId = await given.environment(collectionId, "production", items)
  const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) })
  const colleague = await context.newPage()
  await colleague.request.post("/api/users/login", { data: { email, password } })
  const path = `/collection/${collectionId}?env=${environmentId}`
  if (!colleagueIsLive) await colleague.route("**/live", (route) => route.abort())
  for (const one of [page, colleague]) {
    const live = one === page || colleagueIsLive ? one.waitForResponse("**/live") : undefined
    await one.goto(path)
    await expect(rowOf(one, items[0]?.name ?? "")).toBeVisible()
    await live
  }
  const stored = async () => {
    const { data } = await (await page.request.get(`/api/subcollection/${environmentId}`)).json()
    return Object.fromEntries(
      data.collectionItems.map((item: { name: string; value: string }) => [item.name, item.value]),
    )
  }
  return { colleague, username, collectionId, environmentId, stored }
}

const itemChanged = "This item has changed since you loaded it. Nothing was saved; compare both values and try again"

test("of two people who edit the same value, the second sees both and chooses", async ({
  page,
  given,
  browser,
  baseURL,
}) => {
  const items = [
    { name: "TOKEN", value: "first-value" },
    { name: "OTHER", value: "other-value" },
  ]
  // The colleague's screen is not live, so that it learns of the change only when it saves.
  const { colleague, username, stored } = await twoBrowsers({ page, given, browser, baseURL }, items, {
    colleagueIsLive: false,
  })
  await valueIn(colleague, "TOKEN").fill("colleague-value")
  await valueIn(page, "TOKEN").fill("my-own-value")
  await save(page, "TOKEN")
  await expectNotification(page, "Item updated successfully")

  await save(colleague, "TOKEN")
  await expectNotification(colleague, itemChanged)
  const conflict = conflictOf(colleague, "TOKEN")
  await expect(conflict.getByText(`Changed by ${username} just now`)).toBeVisible()
  await expect(valueIn(colleague, "TOKEN")).toHaveValue("colleague-value")
  await rowOf(colleague, "TOKEN")
    .getByRole("button", { name: /^(Show|Hide) value$/ })
    .first()
    .click()
  await expect(conflict.getByText(/^(my-own-value|••••••••)$/)).toBeVisible()
  expect((await stored())["TOKEN"]).toBe("my-own-value")

  // A third change, made after the choice was offered, is caught too.
  await valueIn(page, "TOKEN").fill("third-value")
  await save(page, "TOKEN")
  await expectNotification(page, "Item updated successfully")
  await conflict.getByRole("button", { name: "Keep mine" }).click()
  await expectNotification(colleague, itemChanged)
  expect((await stored())["TOKEN"]).toBe("third-value")
  await conflict.getByRole("button", { name: "Keep mine" }).click()
  await expectNotification(colleague, "Item updated successfully")
  await expect(conflict).toHaveCount(0)
  expect((await stored())["TOKEN"]).toBe("colleague-value")

  // The page is live: the change arrives while it is being edited, and does not touch what is typed.
  await valueIn(page, "OTHER").fill("half-typed")
  await valueIn(colleague, "OTHER").fill("colleague-other")
  await save(colleague, "OTHER")
  await expectNotification(colleague, "Item updated successfully")
  await expect(conflictOf(page, "OTHER")).toBeVisible()
  await expect(valueIn(page, "OTHER")).toHaveValue("half-typed")
  await expect(valueIn(page, "OTHER")).toBeFocused()
  await conflictOf(page, "OTHER").getByRole("button", { name: "Take theirs" }).click()
  await expect(conflictOf(page, "OTHER")).toHaveCount(0)
  await expect(valueIn(page, "OTHER")).toHaveValue("colleague-other")
  await expect(valueIn(page, "TOKEN")).toHaveValue("colleague-value")
  await colleague.context().close()
})

test(
  "several rows, deletions and names are not overwritten either",
  long,
  async ({ page, given, browser, baseURL }) => {
    const items = [
      { name: "ONE", value: "first-value" },
      { name: "TWO", value: "second-value" },
      { name: "THREE", value: "third-value" },
    ]
    const { colleague, username, stored } = await twoBrowsers({ page, given, browser, baseURL }, items, {
      colleagueIsLive: false,
    })
    await valueIn(page, "ONE").fill("changed-first")
    await save(page, "ONE")
    await expectNotification(page, "Item updated successfully")

    await valueIn(colleague, "ONE").fill("colleague-first")
    await valueIn(colleague, "TWO").fill("colleague-second")
    await colleague.keyboard.press("ControlOrMeta+s")
    await expectNotification(
      colleague,
      "Some of these items have changed since you loaded them. Nothing was saved; compare the values and try again",
    )
    await expect(conflictOf(colleague, "ONE")).toBeVisible()
    await expect(conflictOf(colleague, "TWO")).toHaveCount(0)
    // One conflict has its own choice. For several there is one choice for all.
    await expect(colleague.getByRole("button", { name: "Keep all mine" })).toHaveCount(0)
    await valueIn(page, "TWO").fill("changed-second")
    await save(page, "TWO")
    await expectNotification(page, "Item updated successfully")
    await colleague.keyboard.press("ControlOrMeta+s")
    await colleague.getByRole("button", { name: "Keep all mine" }).click()
    await expectNotification(colleague, "Items saved successfully")
    await expect(conflictOf(colleague, "ONE")).toHaveCount(0)
    await expect(rowOf(colleague, "ONE").getByRole("button", { name: "Delete" })).toBeFocused()
    expect(await stored()).toEqual({ ONE: "colleague-first", TWO: "colleague-second", THREE: "third-value" })
    await expect(valueIn(page, "ONE")).toHaveValue("colleague-first")

    await valueIn(page, "ONE").fill("changed-first")
    await save(page, "ONE")
    await expectNotification(page, "Item updated successfully")
    await valueIn(colleague, "ONE").fill("typed-over-it")
    await valueIn(colleague, "TWO").fill("colleague-second-again")
    await colleague.keyboard.press("ControlOrMeta+s")
    await conflictOf(colleague, "ONE").getByRole("button", { name: "Take theirs" }).click()
    await colleague.keyboard.press("ControlOrMeta+s")
    await expectNotification(colleague, "Item updated successfully")
    expect(await stored()).toEqual({ ONE: "changed-first", TWO: "colleague-second-again", THREE: "third-value" })

    // A deletion asks again.
    await valueIn(page, "THREE").fill("changed-third")
    await save(page, "THREE")
    await expectNotification(page, "Item updated successfully")
    await rowOf(colleague, "THREE").getByRole("button", { name: "Delete" }).click()
    const question = colleague.getByRole("dialog")
    await question.getByRole("button", { name: "Delete" }).click()
    await expect(question.getByText(`Changed by ${username} just now`)).toBeVisible()
    expect((await stored())["THREE"]).toBe("changed-third")
    await question.getByRole("button", { name: "Delete anyway" }).click()
    await expectNotification(colleague, "Item deleted successfully")

    // An edit of what was deleted elsewhere is kept.
    await expect(rowOf(page, "THREE")).toHaveCount(0)
    await valueIn(colleague, "TWO").fill("typed-by-colleague")
    await rowOf(page, "TWO").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expectNotification(page, "Item deleted successfully")
    await save(colleague, "TWO")
    await expectNotification(colleague, "Item not found")
    await expect(conflictOf(colleague, "TWO").getByText(`Deleted by ${username} just now`)).toBeVisible()
    await expect(valueIn(colleague, "TWO")).toHaveValue("typed-by-colleague")
    await conflictOf(colleague, "TWO").getByRole("button", { name: "Keep mine" }).click()
    await expectNotification(colleague, "Item created successfully")
    expect(await stored()).toEqual({ ONE: "changed-first", TWO: "typed-by-colleague" })

    await chooseMore(environmentOf(colleague), "Edit name")
    await chooseMore(environmentOf(page), "Edit name")
    await page.getByRole("form", { name: "Rename production" }).getByLabel("Name").fill("live")
    await page.keyboard.press("Enter")
    await expectNotification(page, "Environment updated successfully")
    const rename = colleague.getByRole("form", { name: /^Rename / })
    await rename.getByLabel("Name").fill("prod")
    await colleague.keyboard.press("Enter")
    await expect(
      rename.getByText(`Renamed by ${username} just now to live. Save again to use your name.`),
    ).toBeVisible()
    await colleague.keyboard.press("Enter")
    await expect(environmentOf(colleague, "prod")).toBeVisible()
    await colleague.context().close()
  },
)

test("an open collection shows what others change, and does not move what is being read", async ({
  page,
  given,
  browser,
  baseURL,
}) => {
  const items = Array.from({ length: 200 }, (_, at) => ({ name: `NAME_${at}`, value: `value-number-${at}` }))
  const { colleague, username, collectionId } = await twoBrowsers({ page, given, browser, baseURL }, items)
  const middle = rowOf(page, "NAME_100")
  await page.evaluate("window.scrollTo(0, 40 * 100)")
  await expect(middle).toBeInViewport()
  const before = await middle.boundingBox()
  await middle.getByLabel("Name").focus()

  await valueIn(colleague, "NAME_2").fill("changed-by-colleague")
  await save(colleague, "NAME_2")
  await expect(environmentOf(page).getByText(`Changed by ${username} just now`)).toBeVisible()
  // A change of one's own is not announced.
  await expect(environmentOf(colleague).getByText(/^Changed by/)).toHaveCount(0)
  await rowOf(colleague, "NAME_3").getByRole("button", { name: "Delete" }).click()
  await colleague.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expect(environmentOf(page).getByRole("button", { name: /199 items/ })).toBeVisible()
  await expect(middle.getByLabel("Name")).toBeFocused()
  await expect(async () => expect(await middle.boundingBox()).toEqual(before)).toPass()
  await page.evaluate("window.scrollTo(0, 0)")
  await expect(valueIn(page, "NAME_2")).toHaveValue("changed-by-colleague")

  const staging = await given.environment(collectionId, "staging")
  await expect(environmentOf(colleague, "staging")).toBeVisible()
  await expect(environmentOf(page, "staging")).toBeVisible()
  // What was typed stays when its environment is deleted, until it is discarded.
  await environmentOf(colleague, "staging")
    .getByRole("button", { name: /^staging/ })
    .click()
  const typed = environmentOf(colleague, "staging").getByLabel("Name", { exact: true })
  await typed.fill("HALF_TYPED")
  await page.request.delete(`/api/subcollection/${staging}`)
  await expectNotification(colleague, "The environment staging was deleted")
  await expect(environmentOf(page, "staging")).toHaveCount(0)
  await expect(environmentOf(colleague, "staging").getByText("Deleted elsewhere")).toBeVisible()
  await expect(typed).toHaveValue("HALF_TYPED")
  await typed.clear()
  await expect(environmentOf(colleague, "staging")).toHaveCount(0)
  await colleague.context().close()
})

test(
  "what others change before the page follows the collection is shown too",
  long,
  async ({ page, given, browser, baseURL }) => {
    await given.user()
    const { username, email } = await given.account()
    const id = await given.collection("billing-api")
    const environmentId = await given.environment(id, "production", [{ name: "LOG_LEVEL", value: "info" }])
    await page.request.post(`/api/collections/${id}/members`, { data: { who: username, role: "reader" } })
    const context = await browser.newContext({ ...(baseURL === undefined ? {} : { baseURL }) })
    const reader = await context.newPage()
    await reader.request.post("/api/users/login", { data: { email, password } })
    // The page has read everything, and does not follow it yet.
    const changed = Promise.withResolvers<void>()
    await reader.route("**/live", async (route) => {
      await changed.promise
      await route.continue()
    })
    await reader.goto(`/collection/${id}?env=${environmentId}`)
    await expect(rowOf(reader, "LOG_LEVEL").getByRole("button", { name: "Show value" })).toBeVisible()
    await page.request.put(`/api/environments/${environmentId}/protection`, { data: { isProtected: true } })
    changed.resolve()
    await expectNotification(reader, "The environment production is now protected")
    await expect(reader.getByText("Values are hidden: this environment is protected.", { exact: false })).toBeVisible()
    await context.close()
  },
)

test("ten tabs of one browser are all live and can still make calls", long, async ({ page, given, context }) => {
  await given.user()
  const collectionId = await given.collection("billing-api")
  const environmentId = await given.environment(collectionId, "production", [{ name: "TOKEN", value: "first-value" }])
  const path = `/collection/${collectionId}?env=${environmentId}`
  const tabs = [page, ...(await Promise.all(Array.from({ length: 9 }, () => context.newPage())))]
  for (const tab of tabs) await tab.goto(path)
  const last = tabs.at(-1) ?? page
  await valueIn(last, "TOKEN").fill("changed-value")
  await save(last, "TOKEN")
  for (const tab of tabs) await expect(valueIn(tab, "TOKEN")).toHaveValue("changed-value")
  // The tab that reads the stream for all is closed, and another one takes its place.
  await page.close()
  await valueIn(last, "TOKEN").fill("changed-again")
  await save(last, "TOKEN")
  for (const tab of tabs.slice(1)) await expect(valueIn(tab, "TOKEN")).toHaveValue("changed-again")
})
