import type { Page, Route } from "@playwright/test"
import { expect, expectNotification, type Given, long, test } from "./test.ts"

async function rawDialog(page: Page, given: Given, items: { name: string; value: string }[], isPhone = false) {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items)
  await page.goto(`/collection/${id}`)
  if (isPhone) await page.getByRole("button", { name: "Actions" }).click()
  const open = page.getByRole("button", { name: "Edit raw values" })
  await open.click()
  const dialog = page.getByRole("dialog")
  const stored = async () => {
    const answer = await page.request.get(`/api/collection/${id}`)
    const { data } = (await answer.json()) as {
      data: { subCollections: { collectionItems: { id: number; name: string; value: string }[] }[] }
    }
    return data.subCollections[0]?.collectionItems ?? []
  }
  return { open, dialog, text: dialog.getByLabel("Raw values", { exact: true }), stored }
}

test("the raw dialog makes the environment hold exactly its lines", async ({ page, given }) => {
  const { open, dialog, text, stored } = await rawDialog(page, given, [
    { name: "A", value: "1" },
    { name: "B", value: "2" },
  ])
  await expect(text).toBeFocused()
  await expect(text).toHaveValue("A=1\nB=2\n")
  await expect(dialog.getByRole("button")).toHaveText(["", "Cancel", "Copy", "Confirm"])
  const [a] = await stored()

  await text.fill("A=first=kept\n=no name\n\nC = spaced\nD\nA=last")
  await dialog.getByRole("button", { name: "Copy" }).click()
  await expectNotification(page, "Copied to clipboard")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "Bulk save successfull")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
  expect(await stored()).toMatchObject([
    { id: a?.id, name: "A", value: "last" },
    { name: "C", value: " spaced" },
    { name: "D", value: "" },
  ])
})

test("a pasted .env file is read as one in place", async ({ page, given }) => {
  const { dialog, text, stored } = await rawDialog(page, given, [{ name: "A", value: '"literal"' }])
  await text.fill('A="literal"\n# a comment\nexport B="two words"\nCERT="one\ntwo"\n')
  await expect(dialog.getByText(/1 comment becomes a name, 1 name starts with “export”/)).toBeVisible()
  await dialog.getByRole("button", { name: "Read as .env" }).click()
  await expect(text).toHaveValue('A="literal"\nB=two words\n')
  await expect(text).toBeFocused()
  await expect(dialog.getByText("CERT", { exact: true })).toBeVisible()
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toMatchObject([
    { name: "A", value: '"literal"' },
    { name: "CERT", value: "one\ntwo" },
    { name: "B", value: "two words" },
  ])
})

test("a text without a name is refused and nothing changes", async ({ page, given }) => {
  const { dialog, text, stored } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  await text.fill("=x\n  \n")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "No data found")
  await expect(dialog.getByText("No data found")).toBeVisible()
  await expect(text).toHaveValue("=x\n  \n")
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("button", { name: "Discard" }).click()
  await expect(dialog).toHaveCount(0)
  expect(await stored()).toMatchObject([{ name: "A", value: "1" }])
})

test("values with line breaks are listed, left out of the text and kept", long, async ({ page, given }) => {
  const items = [
    { name: "A", value: "1" },
    { name: "CERT", value: "one\ntwo" },
    { name: "ODD", value: "x\ry" },
    { name: "DOS", value: "x\r\ny\r\n" },
  ]
  const { dialog, text, stored } = await rawDialog(page, given, items)
  await expect(text).toHaveValue("A=1\n")
  for (const name of ["CERT", "ODD", "DOS"]) await expect(dialog.getByText(name, { exact: true })).toBeVisible()
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toMatchObject(items)
})

test("Escape closes the dialog", long, async ({ page, given }) => {
  const { open, dialog } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  await page.keyboard.press("Escape")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
})

test("leaving an edited text asks first", async ({ page, given }) => {
  const { open, dialog, text } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  await dialog.getByRole("button", { name: "Close" }).click()
  await page.getByRole("link", { name: "Profile" }).click()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await page.goBack()
  await open.click()
  await text.fill("A=2")
  // The guard is active once the edit is rendered, before any person could navigate.
  await page.evaluate("new Promise((resolve) => requestIdleCallback(() => requestAnimationFrame(resolve)))")

  await page.goForward()
  await expect(page.getByText("Leave without saving?")).toBeVisible()
  await page.keyboard.press("Escape")
  await expect(page.getByText("Leave without saving?")).toHaveCount(0)
  await expect(page.getByText("Discard your changes?")).toHaveCount(0)
  await expect(text).toHaveValue("A=2")

  const asked = page.waitForEvent("dialog")
  // It does not reload.
  page.reload().catch(() => undefined)
  const question = await asked
  expect(question.type()).toBe("beforeunload")
  await question.dismiss()

  await dialog.getByRole("button", { name: "Close" }).click()
  await expect(page.getByRole("button", { name: "Keep editing" })).toBeFocused()
  await page.getByRole("button", { name: "Discard" }).click()
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
})

test("on a phone the buttons stay visible, and the text fills the rest", long, async ({ page, given }) => {
  await page.setViewportSize({ width: 375, height: 667 })
  const items = Array.from({ length: 30 }, (_, at) => ({ name: `CERTIFICATE_${at}`, value: "one\ntwo" }))
  const { dialog, text } = await rawDialog(page, given, [{ name: "A", value: "1" }, ...items], true)
  for (const name of ["Cancel", "Copy", "Confirm"]) {
    await expect(dialog.getByRole("button", { name })).toBeInViewport({ ratio: 1 })
  }
  await text.fill("A=1")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "Bulk save successfull")
})

test("in five thousand lines no typed key is lost", long, async ({ page, given }) => {
  const items = Array.from({ length: 5000 }, (_, at) => ({ name: `NAME_${at}`, value: `value ${at}` }))
  const { text } = await rawDialog(page, given, items)
  await text.press("Control+Home")
  await page.keyboard.type("abcdefghijklmnopqrst")
  await expect(text).toHaveValue(/^abcdefghijklmnopqrstNAME_0=/)
})

test("a save by a colleague just before ours is not overwritten", async ({ page, given }) => {
  const { dialog, text, stored } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  const confirm = dialog.getByRole("button", { name: "Confirm" })
  await text.fill("A=mine")
  // Our save is delayed until the colleague has saved.
  const colleagueFirst = async (route: Route) => {
    const { pathname } = new URL(route.request().url())
    await page.request.post(pathname, { data: [{ name: "A", value: "a colleague's" }] })
    await route.continue()
  }
  await page.route("**/bulk?*", colleagueFirst, { times: 1 })
  await confirm.click()
  await expectNotification(
    page,
    "The environment has changed since you loaded it. Nothing was saved; check it and try again",
  )
  await expect(text).toHaveValue("A=mine")
  expect(await stored()).toMatchObject([{ name: "A", value: "a colleague's" }])

  // The second attempt sees the change, shows both sides by name, and asks.
  await confirm.click()
  const question = page.getByRole("dialog").last()
  const change = question.getByRole("listitem")
  await expect(change).toHaveText("ATheirschanged ••••••••Yourschanged ••••••••")
  await question.getByRole("button", { name: "Show values" }).click()
  await expect(change).toHaveText("ATheirschanged a colleague'sYourschanged mine")
  await question.getByRole("button", { name: "Keep editing" }).click()
  await expect(text).toHaveValue("A=mine")

  // Theirs where they have changed something, ours everywhere else.
  await text.fill("A=mine\nB=my other line")
  await confirm.click()
  await question.getByRole("button", { name: "Take their changes" }).click()
  await expect(text).toHaveValue("A=a colleague's\nB=my other line\n")
  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toMatchObject([
    { name: "A", value: "a colleague's" },
    { name: "B", value: "my other line" },
  ])
})

test("the buttons of the raw dialog are in view in a low window, below the notes", long, async ({ page, given }) => {
  await page.setViewportSize({ width: 1280, height: 600 })
  const { dialog } = await rawDialog(page, given, [
    { name: "A", value: "1" },
    { name: "CERTIFICATE", value: "first\nsecond" },
  ])
  await expect(dialog.getByText("Values with line breaks are kept as they are")).toBeAttached()
  await expect(dialog.getByRole("button", { name: "Confirm" })).toBeInViewport({ ratio: 1 })
})
