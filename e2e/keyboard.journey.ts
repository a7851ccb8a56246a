import type { Page } from "@playwright/test"
import { expect, expectNotification, type Given, long, paste, test } from "./test.ts"

test.use({ contextOptions: { reducedMotion: "no-preference" } })

const names = Array.from({ length: 12 }, (_, n) => `environment-${String(n + 1).padStart(2, "0")}`)
const [firstName = "", lastName = ""] = [names[0], names.at(-1)]

/** Twelve environments. The first has 300 items. */
async function twelve(page: Page, given: Given) {
  await given.user()
  const id = await given.collection("billing")
  const items = Array.from({ length: 300 }, (_, n) => ({ name: `NAME_${n}`, value: `value ${n}` }))
  for (const name of names) await given.environment(id, name, name === firstName ? items : [])
  await page.goto(`/collection/${id}`)
  const block = (name: string) => page.getByRole("region", { name })
  const toggle = (name: string) => block(name).getByRole("button", { name: new RegExp(`^${name}`) })
  await expect(toggle(lastName)).toBeVisible()
  return {
    id,
    toggle,
    first: block(firstName),
    row: (name: string) => page.getByRole("listitem", { name, exact: true }),
  }
}

async function press(page: Page, key: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) await page.keyboard.press(key)
}

test("environments and rows are reached with J, K and the arrow keys, and used with single keys", async ({
  page,
  given,
}) => {
  const { toggle, first, row } = await twelve(page, given)
  await press(page, "j", 12)
  await expect(toggle(lastName)).toBeFocused()
  // There is room for its focus ring.
  const below = "innerHeight - document.activeElement.getBoundingClientRect().bottom"
  await expect.poll(() => page.evaluate<number>(below)).toBeGreaterThanOrEqual(4)
  await press(page, "k", 11)
  await expect(toggle(firstName)).toBeFocused()

  await page.keyboard.press("ArrowRight")
  await expect(row("NAME_0")).toBeVisible()
  await page.keyboard.press("ArrowDown")
  await expect(row("NAME_0")).toBeFocused()
  for (let n = 1; n <= 25; n++) {
    await page.keyboard.press("j")
    await expect(row(`NAME_${n}`)).toBeFocused()
  }
  await expect(row("NAME_25")).toBeInViewport({ ratio: 1 })
  // The next row is not rendered while the list is scrolled elsewhere.
  await page.mouse.wheel(0, 4_000)
  await expect(row("NAME_25")).not.toBeInViewport()
  await page.keyboard.press("ArrowUp")
  await expect(row("NAME_24")).toBeFocused()
  await expect(row("NAME_24")).toBeInViewport({ ratio: 1 })

  await page.keyboard.press("e")
  const value = row("NAME_24").getByLabel("Value")
  await expect(value).toBeFocused()
  await page.keyboard.press("End")
  await page.keyboard.type("jkn/?e")
  await expect(value).toHaveValue("value 24jkn/?e")
  await page.keyboard.press("Escape")
  await expect(row("NAME_24")).toBeFocused()
  await expect(value).toHaveValue("value 24jkn/?e")
  await page.keyboard.press("Escape")
  await expect(toggle(firstName)).toBeFocused()

  await page.keyboard.press("/")
  await expect(first.getByLabel("Filter items")).toBeFocused()
  await page.keyboard.press("Escape")
  await page.keyboard.press("n")
  await expect(first.getByRole("form", { name: "Add item" }).getByLabel("Name")).toBeFocused()
  await page.keyboard.press("Escape")
  await page.keyboard.press("ArrowLeft")
  await expect(row("NAME_0")).toHaveCount(0)
  await page.keyboard.press("e")
  await expect(first.getByRole("form", { name: `Rename ${firstName}` }).getByLabel("Name")).toBeFocused()
  await page.keyboard.press("Escape")
})

test(
  "the list of shortcuts opens with a key and with a click, and keys do nothing behind it",
  long,
  async ({ page, given }) => {
    const { toggle } = await twelve(page, given)
    const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" })
    await page.keyboard.press("j")
    await page.keyboard.press("?")
    await expect(dialog).toBeVisible()
    await press(page, "j", 3)
    await page.keyboard.press("Escape")
    await expect(dialog).toHaveCount(0)
    await expect(toggle(firstName)).toBeFocused()
    for (const combination of ["Alt+j", "Shift+J", "Control+Shift+J"]) await page.keyboard.press(combination)
    await expect(toggle(firstName)).toBeFocused()

    await page.getByRole("button", { name: "Keyboard shortcuts" }).click()
    await expect(dialog).toBeVisible()
  },
)

test("with the Tab key, an environment has two stops", long, async ({ page, given }) => {
  const { toggle, first, row } = await twelve(page, given)
  await toggle(firstName).focus()
  await press(page, "Tab", 2 * (names.length - 1))
  await expect(toggle(lastName)).toBeFocused()

  await toggle(firstName).focus()
  await page.keyboard.press("Tab")
  await expect(first.getByRole("button", { name: "Import" })).toBeFocused()
  await page.keyboard.press("ArrowLeft")
  await expect(first.getByRole("button", { name: "More actions" })).toBeFocused()
  await page.keyboard.press("Shift+Tab")
  await page.keyboard.press("Tab")
  await expect(first.getByRole("button", { name: "More actions" })).toBeFocused()

  // 300 rows are not in the way either.
  await toggle(firstName).click()
  await expect(row("NAME_0")).toBeVisible()
  await press(page, "Tab", 2)
  await expect(page.getByRole("button", { name: "Skip to the next environment" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(toggle(names[1] ?? "")).toBeFocused()
})

for (const width of [1280, 375]) {
  test(
    `pasted lines become rows, and one key saves all edits in one revision, at ${width} px`,
    width === 1280 ? {} : long,
    async ({ page, given }) => {
      await page.setViewportSize({ width, height: 800 })
      await given.user()
      const id = await given.collection("billing")
      const environmentId = await given.environment(id, "production", [
        { name: "PORT", value: "80" },
        { name: "HOST", value: "localhost" },
      ])
      const stored = async () => {
        const answer = await page.request.get(`/api/subcollection/${environmentId}`)
        const { data } = (await answer.json()) as {
          data: { revision: number; collectionItems: Record<string, string>[] }
        }
        return { revision: data.revision, items: data.collectionItems.map(({ name, value }) => `${name}=${value}`) }
      }
      await page.goto(`/collection/${id}?env=${environmentId}`)
      const block = page.getByRole("region", { name: "production" })
      const row = (name: string) => block.getByRole("listitem", { name, exact: true })
      const add = block.getByRole("form", { name: "Add item" })
      const before = await stored()

      await paste(page, add.getByLabel("Name"), "# from a file\nPORT=8080\nexport COLOR='dark red'\nEMPTY=\n")
      await page.getByRole("button", { name: "Split into 3 rows" }).click()
      await expect(block.getByText("2 new items, not saved yet")).toBeVisible()
      await paste(page, add.getByLabel("Name"), "ONE_MORE=1\nTWO_MORE=2")
      await page.getByRole("button", { name: "Split into 2 rows" }).click()
      const remove = block.getByRole("button", { name: "Remove row" })
      await remove.last().press("Enter")
      await expect(remove.last()).toBeFocused()
      await remove.last().press("Enter")
      await expect(remove).toHaveCount(2)
      await expect(row("PORT").getByLabel("Value")).toHaveValue("8080")
      await row("HOST").getByLabel("Name").fill("HOSTNAME")
      await expect(block.getByText("4 unsaved")).toBeVisible()

      await page.keyboard.press("ControlOrMeta+s")
      await expectNotification(page, "Items saved successfully")
      await expect(block.getByText(/unsaved|not saved yet/)).toHaveCount(0)
      expect(await stored()).toEqual({
        revision: before.revision + 1,
        items: ["PORT=8080", "HOSTNAME=localhost", "COLOR=dark red", "EMPTY="],
      })

      // A value may have several lines, so they stay in it unless another choice is made.
      const certificate = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIB\nAxkQ2d1c3RvbWVy==\n-----END CERTIFICATE-----"
      await add.getByLabel("Name").fill("CERT")
      await paste(page, add.getByLabel("Value"), certificate)
      await expect(add.getByLabel("Value")).toHaveValue(certificate)
      await add.getByLabel("Value").fill("")
      await paste(page, add.getByLabel("Value"), "A=1\nB=2")
      await expect(page.getByRole("button", { name: "Keep as one value" })).toBeFocused()
      await page.keyboard.press("Enter")
      await expect(add.getByLabel("Value")).toHaveValue("A=1\nB=2")
      await add.getByLabel("Value").fill("")
      await paste(page, add.getByLabel("Value"), "A=1\nB=2")
      await page.getByRole("button", { name: "Import…" }).click()
      await expect(page.getByLabel("Text to import")).toHaveValue("A=1\nB=2")
      await page.getByRole("button", { name: "Cancel" }).click()
      await expect(add.getByLabel("Value")).toHaveValue("")
      await add.getByLabel("Name").fill("")

      await paste(page, add.getByLabel("Name"), "TIMEOUT_MS=5000")
      await expect(add.getByLabel("Name")).toHaveValue("TIMEOUT_MS")
      await expect(add.getByLabel("Value")).toHaveValue("5000")
      await add.getByLabel("Name").fill("timeout-ms")
      const hint = add.getByText(/^Shells cannot export this name/)
      await expect(hint).toBeVisible()
      // A click on it fails if anything covers it.
      await hint.click({ trial: true })
    },
  )
}

test("a key that is pressed while a dialog fades out is not lost", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  const environmentId = await given.environment(id, "production", [{ name: "PORT", value: "80" }])
  await page.goto(`/collection/${id}?env=${environmentId}`)
  await paste(page, page.getByRole("form", { name: "Add item" }).getByLabel("Name"), "PORT=8080\nHOST=localhost")
  await expect(page.getByRole("button", { name: "Split into 2 rows" })).toBeFocused()
  // In the next frame, which no slow machine makes late.
  await page.evaluate(`requestAnimationFrame(() =>
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "s", ctrlKey: true, bubbles: true })))
  document.activeElement.click()`)
  await expectNotification(page, "Items saved successfully")
})
