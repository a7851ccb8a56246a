import type { Page } from "@playwright/test"
import { expect, type Given, said, test } from "./test.ts"

async function rawDialog(page: Page, given: Given, items: { name: string; value: string }[]) {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items)
  await page.goto(`/collection/${id}`)
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
  await said(page, "Copied to clipboard")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await said(page, "Bulk save successfull")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
  expect(await stored()).toMatchObject([
    { id: a?.id, name: "A", value: "last" },
    { name: "C", value: " spaced" },
    { name: "D", value: "" },
  ])
})

test("a text without a name is refused and nothing changes", async ({ page, given }) => {
  const { dialog, text, stored } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  await text.fill("=x\n  \n")
  await dialog.getByRole("button", { name: "Confirm" }).click()
  await said(page, "No data found")
  await expect(text).toHaveValue("=x\n  \n")
  await dialog.getByRole("button", { name: "Cancel" }).click()
  await expect(dialog).toHaveCount(0)
  expect(await stored()).toMatchObject([{ name: "A", value: "1" }])
})

test("values with line breaks are left out by name and kept", async ({ page, given }) => {
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
  await said(page, "Bulk save successfull")
  expect(await stored()).toMatchObject(items)
})

test("Escape closes the dialog", async ({ page, given }) => {
  const { open, dialog } = await rawDialog(page, given, [{ name: "A", value: "1" }])
  await page.keyboard.press("Escape")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
})
