import type { Locator, Page } from "@playwright/test"
import { chooseMore, expect, expectNotification, type Given, long, test } from "./test.ts"

async function environment(page: Page, given: Given, items: { name: string; value: string }[] = []) {
  const { username } = await given.user()
  const id = await given.collection("billing")
  const environmentId = await given.environment(id, "production", items)
  await page.goto(`/collection/${id}?env=${environmentId}`)
  const block = page.getByRole("region", { name: "production" })
  return {
    username,
    environmentId,
    block,
    history: `/collection/${id}/history/${environmentId}`,
    row: (name: string) => block.getByRole("listitem", { name, exact: true }),
  }
}

const revision = (page: Page, number: number) => page.getByRole("listitem", { name: `Revision ${number}`, exact: true })

const open = (page: Page, number: number) =>
  revision(page, number)
    .getByRole("button", { name: `Revision ${number}` })
    .click()

/** Clicks Undo beside a message, which is not offered for long, and waits for what it reports. */
async function undo(page: Page, sentence: string, done: string): Promise<void> {
  const alert = page.getByRole("alert").filter({ has: page.getByText(sentence, { exact: true }) })
  await alert.getByRole("button", { name: "Undo" }).click()
  await expect(alert).toHaveCount(0)
  await expectNotification(page, done)
}

test("every save can have a note, and the history tells who changed what and when", async ({ page, given }) => {
  const { username, block, row, history } = await environment(page, given, [
    { name: "PORT", value: "port-8080" },
    { name: "HOST", value: "localhost-1" },
  ])
  await row("PORT").getByLabel("Value").fill("port-9090")
  await block.getByRole("button", { name: "Add a note" }).click()
  await page.keyboard.type("behind the proxy")
  await page.keyboard.press("Enter")
  await expect(block.getByRole("button", { name: "Edit the note" })).toBeFocused()
  await row("PORT").getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Item updated successfully")
  await expect(block.getByRole("button", { name: /note$/ })).toHaveCount(0)

  await block.getByRole("button", { name: "Edit raw values" }).click()
  const raw = page.getByRole("dialog")
  await raw.getByLabel("Raw values", { exact: true }).fill("PORT=port-9090\nTIMEZONE=Europe/Vienna")
  await raw.getByLabel("Note").fill("only what is used")
  await raw.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, "Bulk save successfull")

  await chooseMore(block, "History")
  await expect(page).toHaveURL(history)
  await expect(page.getByRole("heading", { name: "History of production" })).toBeVisible()
  await expect(revision(page, 4)).toContainText(`${username} added 1, removed 1`)
  await expect(revision(page, 4)).toContainText("only what is used")
  await expect(revision(page, 4)).toContainText("Current")
  await expect(revision(page, 3)).toContainText(`${username} changed PORT`)
  await expect(revision(page, 3)).toContainText("behind the proxy")
  await expect(revision(page, 1)).toContainText(`${username} created the environment`)
  await expect(revision(page, 3).getByRole("time").first()).toHaveAttribute("title", /\d:\d\d/)

  await open(page, 3)
  await expect(revision(page, 3).getByText("1 changed", { exact: true })).toBeVisible()
  await expect(page.getByText("port-8080")).toHaveCount(0)
  await revision(page, 3).getByRole("button", { name: "Show values", exact: true }).click()
  await expect(revision(page, 3).getByText("port-8080")).toBeVisible()
  await expect(revision(page, 3).getByText("port-9090")).toBeVisible()
  await page.goBack()
  await expect(row("TIMEZONE")).toBeVisible()
})

test("shown values of the past are masked again after a minute without use", long, async ({ page, given }) => {
  await page.clock.install()
  const { history } = await environment(page, given, [{ name: "TOKEN", value: "secret-of-old" }])
  await page.goto(history)
  await open(page, 2)
  await revision(page, 2).getByRole("button", { name: "Show the values of TOKEN" }).click()
  await expect(page.getByText("secret-of-old")).toBeVisible()
  await expect(revision(page, 2)).toContainText("just now")
  await page.clock.fastForward(61_000)
  await expect(page.getByText("secret-of-old")).toHaveCount(0)
  await expect(revision(page, 2)).toContainText("1 minute ago")
})

test(
  "any two revisions are compared, at an address of their own, and one is restored after a preview",
  long,
  async ({ page, given }) => {
    const { block, row, history } = await environment(page, given, [
      { name: "PORT", value: "port-8080" },
      { name: "HOST", value: "localhost-1" },
    ])
    await row("PORT").getByLabel("Name").fill("HTTP_PORT")
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item updated successfully")
    await row("HOST").getByLabel("Value").fill("0.0.0.0-all")
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item updated successfully")
    await block.getByRole("link", { name: "History" }).click()

    await revision(page, 2).getByRole("checkbox").check()
    await expect(page.getByRole("button", { name: "Compare", exact: true })).toBeDisabled()
    await revision(page, 3).getByRole("checkbox").check()
    await revision(page, 4).getByRole("checkbox").check()
    // The one that was chosen first gives way.
    await expect(revision(page, 2).getByRole("checkbox")).not.toBeChecked()
    await revision(page, 3).getByRole("checkbox").uncheck()
    await revision(page, 2).getByRole("checkbox").check()
    await page.getByRole("button", { name: "Compare", exact: true }).click()
    await expect(page).toHaveURL(`${history}?compare=2-4`)
    await expect(page.getByRole("heading", { name: "Compare revisions 2 and 4" })).toBeVisible()
    await expect(page.getByText("1 changed, 1 renamed", { exact: true })).toBeVisible()
    await page.reload()
    await page.getByRole("button", { name: "Show the values of HOST" }).click()
    await expect(page.getByText("0.0.0.0-all")).toBeVisible()
    await page.goBack()
    await expect(revision(page, 2)).toBeVisible()

    await open(page, 2)
    await revision(page, 2).getByRole("button", { name: "Restore…" }).click()
    const dialog = page.getByRole("dialog")
    await expect(dialog.getByText("1 changed, 1 added, 1 removed", { exact: true })).toBeVisible()
    await dialog.getByLabel("Note").fill("the new name broke the worker")
    await dialog.getByRole("button", { name: "Restore" }).click()
    // First of all: it is not offered for long.
    await page.getByRole("alert").getByRole("button", { name: "Undo" }).click()
    await expect(revision(page, 5)).toContainText("restored revision 2: changed 1, added 1, removed 1")
    await expect(revision(page, 5)).toContainText("the new name broke the worker")
    await expect(dialog).toHaveCount(0)
    await expect(revision(page, 6)).toContainText("restored revision 4")
    await page.getByRole("link", { name: "billing" }).click()
    await expect(row("HTTP_PORT").getByLabel("Value")).toHaveValue("port-8080")
    await expect(row("HOST").getByLabel("Value")).toHaveValue("0.0.0.0-all")
  },
)

test("an item's history shows, copies, restores and erases its values", async ({ page, given, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"])
  const { username, row } = await environment(page, given, [{ name: "TOKEN", value: "leaked-token" }])
  for (const value of ["second-token", "third-token"]) {
    await row("TOKEN").getByLabel("Value").fill(value)
    await page.keyboard.press("Enter")
    await expectNotification(page, "Item updated successfully")
  }
  await row("TOKEN").getByRole("button", { name: "History" }).click()
  const dialog = page.getByRole("dialog", { name: "History of TOKEN" })
  const version = (number: number) => dialog.getByRole("listitem", { name: `Revision ${number}` })
  await expect(dialog.getByRole("listitem")).toHaveCount(3)
  await expect(version(4)).toContainText("Current")
  await expect(version(4).getByRole("button", { name: "Restore" })).toHaveCount(0)
  await expect(version(4).getByRole("button", { name: "Erase value" })).toHaveCount(0)
  await expect(dialog.getByText("leaked-token")).toHaveCount(0)
  await version(2).getByRole("button", { name: "Show value" }).click()
  await expect(version(2).getByText("leaked-token")).toBeVisible()
  await version(3).getByRole("button", { name: "Copy value" }).click()
  await expectNotification(page, "Copied to clipboard")
  expect(await page.evaluate("navigator.clipboard.readText()")).toBe("second-token")

  await version(2).getByRole("button", { name: "Erase value" }).click()
  const question = page.getByRole("dialog", { name: "Erase this value for good?" })
  await expect(question).toContainText("This cannot be undone.")
  await page.keyboard.press("Escape")
  await expect(question).toHaveCount(0)
  await version(2).getByRole("button", { name: "Erase value" }).click()
  await question.getByRole("button", { name: "Erase" }).click()
  await expectNotification(page, "Value erased successfully")
  await expect(version(2).getByText(`Erased for good by ${username}`)).toBeVisible()
  await expect(version(2).getByRole("button", { name: "Restore" })).toHaveCount(0)

  await version(3).getByRole("button", { name: "Restore" }).click()
  const preview = page.getByRole("dialog", { name: "Restore TOKEN?" })
  await preview.getByRole("button", { name: "Show the values of TOKEN" }).click()
  await expect(preview.getByText("third-token")).toBeVisible()
  await preview.getByRole("button", { name: "Restore" }).click()
  await expect(version(5)).toContainText("Current")
  await undo(page, "Item restored successfully", "TOKEN is as it was")
  await expect(version(6)).toContainText("Current")
  await dialog.getByRole("button", { name: "Close" }).click()
  await expect(row("TOKEN").getByLabel("Value")).toHaveValue("third-token")
  await expect(row("TOKEN").getByRole("button", { name: "History" })).toBeFocused()
})

async function expectValues(block: Locator, ...expected: string[]): Promise<void> {
  await expect(block.getByRole("listitem")).toHaveCount(expected.length)
  for (const [at, value] of expected.entries()) {
    await expect(block.getByRole("listitem").nth(at).getByLabel("Value")).toHaveValue(value)
  }
}

const portAndHost = [
  { name: "PORT", value: "port-8080" },
  { name: "HOST", value: "localhost-1" },
]

test("deleting an item can be undone, with the mouse and with the keyboard", async ({ page, given }) => {
  const { block, row } = await environment(page, given, portAndHost)
  const deleteItem = async (name: string) => {
    await row(name).getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await expect(page.getByRole("dialog")).toHaveCount(0)
  }
  await deleteItem("PORT")
  await undo(page, "Item deleted successfully", "PORT is back")
  await expectValues(block, "port-8080", "localhost-1")

  // By keyboard too, and the focus stays where it was.
  await deleteItem("PORT")
  const next = row("HOST").getByRole("button", { name: "Delete" })
  await expect(next).toBeFocused()
  await page.getByRole("button", { name: "Undo" }).focus()
  await page.keyboard.press("Enter")
  await expectNotification(page, "PORT is back")
  await expect(next).toBeFocused()
  await deleteItem("PORT")
  await expect(next).toBeFocused()
  await page.keyboard.press("ControlOrMeta+z")
  await expectNotification(page, "PORT is back")
  await expectValues(block, "port-8080", "localhost-1")
})

test("saving all rows, a bulk save and an import can be undone", long, async ({ page, given }) => {
  const { block, row } = await environment(page, given, portAndHost)
  await row("PORT").getByLabel("Value").fill("port-1")
  await row("HOST").getByLabel("Value").fill("host-1")
  await page.keyboard.press("ControlOrMeta+s")
  await undo(page, "Items saved successfully", "HOST and PORT are as they were")
  await expectValues(block, "port-8080", "localhost-1")

  await block.getByRole("button", { name: "Edit raw values" }).click()
  await page.getByLabel("Raw values", { exact: true }).fill("PORT=port-9090")
  await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click()
  await undo(page, "Bulk save successfull", "production is as it was")
  await expect(row("HOST").getByLabel("Value")).toHaveValue("localhost-1")

  await block.getByRole("button", { name: "Import" }).click()
  await page.getByLabel("Text to import").fill("NEW=of-the-import\nPORT=port-7070")
  await page.getByRole("dialog").getByLabel("Note").fill("from the old server")
  await page.getByRole("dialog").getByRole("button", { name: "Import" }).click()
  await undo(page, "Bulk save successfull", "production is as it was")
  await expect(row("NEW")).toHaveCount(0)
  await expect(row("PORT").getByLabel("Value")).toHaveValue("port-8080")

  // Saving what is stored already changes nothing, so there is nothing to undo.
  await block.getByRole("button", { name: "Edit raw values" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Confirm" }).click()
  await expect(page.getByRole("alert").filter({ hasText: "Bulk save successfull" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Undo" })).toHaveCount(0)
})

for (const width of [1280, 375]) {
  test(`a saved row is taken back by name, at ${width} px`, width === 375 ? long : {}, async ({ page, given }) => {
    await page.setViewportSize({ width, height: 812 })
    const { block, row, environmentId } = await environment(page, given, [
      { name: "PORT", value: "port-8080" },
      { name: "HOST", value: "localhost-1" },
    ])
    const collectionId = Number(new URL(page.url()).pathname.split("/").at(-1))
    const about = { name: "PORT", isSecret: false }
    expect((await page.request.put(`/api/collections/${collectionId}/names`, { data: about })).ok()).toBe(true)
    await page.reload()

    // In the field, Ctrl+Z takes back what was typed there.
    const port = row("PORT").getByLabel("Value")
    await port.fill("port-9090")
    await port.press("ControlOrMeta+z")
    await expect(port).toHaveValue("port-8080")
    await port.fill("port-9090")
    await port.press("Enter")
    await undo(page, "Item updated successfully", "PORT is port-8080 again")
    await expect(port).toHaveValue("port-8080")
    // What was saved is no longer typing.
    await port.fill("port-7070")
    await port.press("Enter")
    await expect(page.getByRole("alert").getByRole("button", { name: "Undo" })).toBeVisible()
    await expect(block.getByText("1 unsaved")).toHaveCount(0)
    await port.press("ControlOrMeta+z")
    await expectNotification(page, "PORT is port-8080 again")

    // Outside of a field, it takes back the save. What others have saved since stays.
    const host = row("HOST").getByLabel("Value")
    await host.fill("localhost-2")
    await row("HOST").getByRole("button", { name: "Save" }).click()
    await expect(block.getByText("1 unsaved")).toHaveCount(0)
    const data = { name: "ADDED", value: "by-another", subCollectionId: environmentId }
    expect((await page.request.post("/api/collectionItem", { data })).ok()).toBe(true)
    await row("HOST").getByRole("button", { name: "History" }).focus()
    await page.keyboard.press("ControlOrMeta+z")
    await expectNotification(page, "HOST is as it was")
    await expect(host).toHaveValue("localhost-1")
    await expect(row("ADDED")).toBeVisible()
    await expect(block.getByRole("listitem").nth(1).getByLabel("Value")).toHaveValue("localhost-1")
  })
}

test("a long history is shown in pages, and a long value in parts", long, async ({ page, given }) => {
  const long = "0123456789".repeat(6_553)
  const { environmentId, history } = await environment(page, given, [{ name: "N".repeat(256), value: long }])
  for (let n = 0; n < 55; n++) {
    const data = { name: `NAME_${n}`, value: `value ${n}`, subCollectionId: environmentId }
    await page.request.post("/api/collectionItem", { data })
  }
  await page.setViewportSize({ width: 375, height: 812 })
  await page.goto(history)
  await expect(revision(page, 57)).toBeVisible()
  await expect(revision(page, 2)).toHaveCount(0)
  await page.getByRole("button", { name: "Show older" }).click()
  await expect(revision(page, 1)).toBeVisible()
  await expect(page.getByRole("button", { name: "Show older" })).toHaveCount(0)
  await open(page, 2)
  await revision(page, 2).getByRole("button", { name: "Show values", exact: true }).click()
  await revision(page, 2).getByRole("button", { name: "Show all 65,530 characters" }).click()
  await expect(revision(page, 2).getByText(long, { exact: true })).toBeVisible()
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
})
