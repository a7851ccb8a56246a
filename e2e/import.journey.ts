import { writeFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { expect, expectNotification, type Given, long, test } from "./test.ts"

const pem = "-----BEGIN KEY-----\nMIIB$HOME\n-----END KEY-----"

async function importDialog(page: Page, given: Given, items: { name: string; value: string }[]) {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", items)
  await page.goto(`/collection/${id}`)
  const open = page.getByRole("button", { name: "Import" })
  await open.click()
  const dialog = page.getByRole("dialog", { name: "Import into production" })
  const environment = async () => {
    const answer = await page.request.get(`/api/collection/${id}`)
    const { data } = (await answer.json()) as {
      data: { subCollections: { id: number; collectionItems: { name: string; value: string }[] }[] }
    }
    return data.subCollections[0]
  }
  const stored = async () => (await environment())?.collectionItems.map(({ name, value }) => `${name}=${value}`) ?? []
  const revisions = async () => {
    const answer = await page.request.get(`/api/environments/${(await environment())?.id}/history`)
    const { data } = (await answer.json()) as { data: { revisions: { added: number; removed: number }[] } }
    return data.revisions
  }
  return {
    open,
    dialog,
    stored,
    revisions,
    text: dialog.getByLabel("Text to import"),
    confirm: dialog.getByRole("button", { name: "Import", exact: true }),
    rows: (kind: string) => dialog.getByRole("list", { name: kind, exact: true }).getByRole("listitem"),
  }
}

const held = [
  { name: "SAME", value: "1" },
  { name: "OLD", value: "secret before" },
  { name: "OTHER", value: "stays" },
]

/** Drops files on the dialog, as with a mouse. */
async function drop(
  page: Page,
  files: { name: string; text?: string; bytes?: number[]; size?: number }[],
): Promise<void> {
  // The dialog is loaded when it is opened for the first time.
  await expect(page.getByRole("dialog").getByLabel("Text to import")).toBeVisible()
  await page.evaluate(`{
    const data = new DataTransfer()
    for (const { name, text, bytes, size } of ${JSON.stringify(files)}) {
      data.items.add(new File([text ?? new Uint8Array(bytes ?? size)], name))
    }
    const target = document.querySelector('[role="dialog"]')
    for (const kind of ["dragover", "drop"]) {
      target.dispatchEvent(new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }))
    }
  }`)
}

test("a pasted .env file is previewed, then merged; the other items stay", async ({ page, given }) => {
  const { open, dialog, text, confirm, rows, stored } = await importDialog(page, given, held)
  await expect(text).toBeFocused()
  const pasted = `# ours\nexport SAME=1\nOLD='secret now'\nKEY="${pem}"\n`
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(pasted)})`)
  await page.keyboard.press("ControlOrMeta+V")

  await expect(dialog.getByText("1 added, 1 changed, 1 unchanged", { exact: true })).toBeVisible()
  await expect(rows("Added")).toHaveText(["KEY••••••••"])
  await expect(rows("Changed")).toHaveText(["OLD••••••••••••••••"])
  await expect(rows("Unchanged")).toHaveText(["SAME"])
  await expect(rows("Removed")).toHaveCount(0)
  await dialog.getByRole("button", { name: "Show values" }).click()
  await expect(rows("Changed")).toHaveText(["OLDsecret beforesecret now"])
  expect(await stored()).toContain("OLD=secret before")

  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
  expect(await stored()).toEqual(["SAME=1", "OLD=secret now", "OTHER=stays", `KEY=${pem}`])
  await expect(page.getByRole("button", { name: /^production/ })).toContainText("4 items")
})

test("replace lists what it removes, and works by keyboard", long, async ({ page, given }) => {
  const { dialog, text, rows, stored } = await importDialog(page, given, held)
  await text.fill("SAME=1\nNEW=2")
  await dialog.getByRole("radio", { name: /^Merge/ }).focus()
  await page.keyboard.press("ArrowDown")
  await expect(rows("Removed")).toHaveText(["OLD", "OTHER"])
  await expect(dialog.getByText("1 added, 0 changed, 1 unchanged, 2 removed")).toBeVisible()
  await page.keyboard.press("Enter")
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toEqual(["SAME=1", "NEW=2"])
})

test("nothing is imported until unreadable lines are fixed or skipped", async ({ page, given }) => {
  const { dialog, text, confirm, rows, stored } = await importDialog(page, given, held)
  await text.fill(`GOOD=1\nno equals sign\nTAIL=a#b\n${"N".repeat(257)}=1\n`)
  await expect(rows("What cannot be imported")).toHaveText([
    "Line 2: it is not a NAME=value line",
    "Line 3: it has a # that needs quotes, or a space before it",
    `${"N".repeat(257)}: Name can be at most 256 characters`,
  ])
  await confirm.click()
  await expectNotification(page, "Fix or skip the lines that can't be imported")
  expect(await stored()).toHaveLength(3)

  const skip = dialog.getByRole("checkbox", { name: "Skip these and import the rest" })
  await skip.check()
  await text.press("End")
  await text.pressSequentially("#")
  await expect(skip).not.toBeChecked()
  await skip.check()
  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toEqual([...held.map(({ name, value }) => `${name}=${value}`), "GOOD=1"])
})

test("a dropped JSON file is recognised; its text stays masked until shown", long, async ({ page, given }) => {
  const { dialog, text, confirm, rows, stored } = await importDialog(page, given, [])
  await drop(page, [{ name: "vars.json", text: JSON.stringify({ KEY: pem, "A B": "dos\r\nline", " 1 ": "x" }) }])
  await expect(dialog.getByText("Read from vars.json")).toBeVisible()
  await expect(dialog.getByLabel("Read as")).toHaveValue("")
  await expect(dialog.getByLabel("Read as").locator("option:checked")).toHaveText("Detected: JSON")
  await expect(text).toHaveCSS("-webkit-text-security", "disc")
  await expect(rows("Added")).toHaveText([/^KEY/, /^A B/, /^1/])
  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toEqual([`KEY=${pem}`, "A B=dos\r\nline", "1=x"])
})

test("a chosen file is read as the format that was chosen", long, async ({ page, given }, info) => {
  const { dialog, confirm, rows, stored } = await importDialog(page, given, [])
  const file = info.outputPath("quoted.env")
  await writeFile(file, "\ufeffA='x' # y\r\n")
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    dialog.getByRole("button", { name: "Choose a file" }).click(),
  ])
  await chooser.setFiles(file)
  await dialog.getByRole("button", { name: "Show values" }).click()
  await expect(rows("Added")).toHaveText(["Ax"])
  await dialog.getByLabel("Read as").selectOption("Raw text")
  await expect(rows("Added")).toHaveText(["A'x' # y"])
  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  expect(await stored()).toEqual(["A='x' # y"])
})

test(
  "several files, a binary one and a huge one get a clear sentence, and the text stays",
  long,
  async ({ page, given }) => {
    const { text } = await importDialog(page, given, [])
    await text.fill("A=1")
    await drop(page, [
      { name: "a.env", text: "" },
      { name: "b.env", text: "" },
    ])
    await expectNotification(page, "Choose one file at a time, not 2")
    await drop(page, [{ name: "photo.png", bytes: [0x89, 0x50, 0x4e, 0x47, 0, 1] }])
    await expectNotification(page, "photo.png is not a text file in UTF-8")
    await drop(page, [{ name: "huge.env", size: 9 * 1024 * 1024 }])
    await expectNotification(page, "huge.env is larger than 8 MiB, the most that can be saved")
    await expect(text).toHaveValue("A=1")
  },
)

test("a failing save keeps everything that was typed", async ({ page, given }) => {
  const { dialog, text, confirm, stored } = await importDialog(page, given, held)
  await text.fill("NEW=2")
  await page.route("**/bulk?*", (route) =>
    route.fulfill({ status: 500, json: { error: true, msg: "Something went wrong on our side", data: null } }),
  )
  await confirm.click()
  await expectNotification(page, "Something went wrong on our side")
  await expect(text).toHaveValue("NEW=2")
  expect(await stored()).toHaveLength(3)
  await page.unroute("**/bulk?*")
  await confirm.click()
  await expectNotification(page, "Bulk save successfull")
  await expect(dialog).toHaveCount(0)
})

test(
  "ten thousand lines are counted in the preview, and so is a line typed after them",
  long,
  async ({ page, given }) => {
    const { dialog, text, confirm, rows, stored } = await importDialog(page, given, [])
    // Pasted, because fill() takes a minute for a text of this size.
    const lines = Array.from({ length: 9_999 }, (_, at) => `NAME_${at}="value ${at}"`).join("\n")
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(lines)})`)
    await text.press("ControlOrMeta+V")
    await expect(dialog.getByText("9,999 added, 0 changed, 0 unchanged")).toBeVisible()
    await expect(rows("Added")).toHaveCount(100)
    await expect(dialog.getByRole("button", { name: "Show 1,000 more of 9,899" })).toBeVisible()
    await text.press("ControlOrMeta+End")
    await text.pressSequentially("\nLAST=1")
    await expect(dialog.getByText("10,000 added, 0 changed, 0 unchanged")).toBeVisible()
    await text.pressSequentially("\nONE_TOO_MANY=1")
    await expect(dialog.getByText(/with this import it would be 10,001\.$/)).toBeVisible()
    await confirm.click()
    await expectNotification(page, "An environment can hold at most 10,000 items")
    // Both at once: after half of the line the preview would look the same and still be out of date.
    await text.press("Shift+Home")
    await text.press("Backspace")
    await expect(dialog.getByText("10,000 added, 0 changed, 0 unchanged")).toBeVisible()
    await confirm.click()
    await expectNotification(page, "Bulk save successfull")
    expect(await stored()).toHaveLength(10_000)
  },
)

test(
  "a Compose file says what it is; one part is imported, with repairs and a choice of duplicates",
  long,
  async ({ page, given }) => {
    const { dialog, text, confirm, rows, stored, revisions } = await importDialog(page, given, [])
    await text.fill(
      [
        "services:",
        "  web:",
        "    environment:",
        "      - LOG=first",
        "      - LOG=second",
        "      - LOG=third",
        '      - "TOKEN=abc123def "',
        "      - API_KEY=changeme",
        "      - DB=postgres://localhost/app",
        "  db:",
        "    environment: { OTHER: 1 }",
      ].join("\n"),
    )
    await expect(dialog.getByText("Recognised: Compose file, because it has services.")).toBeVisible()
    await expect(rows("Added")).toHaveText([/^LOG/, /^TOKEN/, /^API_KEY/, /^DB/, /^OTHER/])
    await dialog.getByLabel("Part to import").selectOption("service web")
    await expect(rows("Added")).toHaveText([/^LOG/, /^TOKEN/, /^API_KEY/, /^DB/])

    await expect(rows("Names that repeat")).toHaveText(["LOGlines 4, 5, 6; line 6 counts"])
    await dialog.getByRole("radio", { name: "Choose for each name" }).check()
    await dialog.getByLabel("Value of LOG").selectOption("Line 5, service web")

    await expect(dialog.getByText("3 things to check, 3 can be repaired here")).toBeVisible()
    await dialog.getByRole("button", { name: "Trim: TOKEN" }).click()
    await dialog.getByRole("button", { name: "Leave out: API_KEY" }).click()
    await dialog.getByRole("button", { name: "Leave out: DB" }).click()
    await expect(rows("Added")).toHaveText([/^LOG/, /^TOKEN/])
    await dialog.getByRole("button", { name: "Undo: Left out, DB" }).click()
    await expect(rows("Added")).toHaveText([/^LOG/, /^TOKEN/, /^DB/])
    await confirm.click()
    await page.getByRole("alert").getByRole("button", { name: "Undo" }).click()
    await expect(page.getByRole("button", { name: /^production/ })).toContainText("0 items")
    expect(await stored()).toEqual([])
    expect((await revisions()).slice(0, 2)).toMatchObject([{ removed: 3 }, { added: 3 }])
  },
)

test(
  "an example file fills descriptions; its values are imported only if that is chosen",
  long,
  async ({ page, given }) => {
    const { open, dialog, confirm, rows, stored } = await importDialog(page, given, [])
    const example =
      "# Where the app listens\n# @required @type=port\nPORT=3000\n\n# Where data is kept\nDATABASE_URL=\n"
    await drop(page, [{ name: ".env.example", text: example }])
    await expect(dialog.getByText("Recognised: .env.schema file")).toBeVisible()
    await expect(dialog.getByText("Describes 2 names")).toBeVisible()
    await expect(rows("Found descriptions")).toHaveText([
      /^PORTWhere the app listens\nRequired · Should be a whole number from 1 to 65535\nExample: 3000$/,
      /^DATABASE_URLWhere data is kept$/,
    ])
    await confirm.click()
    await expectNotification(page, "Descriptions saved")
    await expect(dialog).toHaveCount(0)
    expect(await stored()).toEqual([])

    await open.click()
    await drop(page, [{ name: ".env.example", text: `${example}# For mails\nMAIL_HOST=smtp.example.com\n` }])
    await expect(rows("Found descriptions")).toHaveText([/^MAIL_HOST/])
    await dialog.getByRole("radio", { name: /^Values/ }).check()
    await expect(rows("Added")).toHaveText([/^PORT/, /^DATABASE_URL/, /^MAIL_HOST/])
    await dialog.getByRole("checkbox", { name: "Also fill descriptions of 1 name" }).check()
    await confirm.click()
    await expectNotification(page, "Bulk save successfull")
    expect(await stored()).toEqual(["PORT=3000", "DATABASE_URL=", "MAIL_HOST=smtp.example.com"])
  },
)

/** Aliases that stand for a billion values. */
const laughs = ["a: &a [x,x,x,x,x,x,x,x,x]", ..."bcdefghij"].map((name, at, all) => {
  const before = at === 1 ? "a" : all[at - 1]
  return at === 0 ? name : `${name}: &${name} [${Array(9).fill(`*${before}`).join(", ")}]`
})

test(
  "encrypted, binary, huge, exploding and deeply nested texts get a sentence, and the page stays usable",
  long,
  async ({ page, given }) => {
    const { dialog, text, confirm, rows, stored } = await importDialog(page, given, [])
    const paste = async (pasted: string) => {
      // Made in the page, because 10 MB take long to send there.
      await page.evaluate(`navigator.clipboard.writeText(${pasted})`)
      await text.press("ControlOrMeta+A")
      await text.press("ControlOrMeta+V")
    }
    await text.fill("A=1")
    await paste('"A=" + "x".repeat(10_000_000)')
    await expectNotification(page, "This text is longer than 8 MiB, the most that can be saved")
    await paste('"PNG\\u0001\\u0002\\u0003\\u0004\\u0005"')
    await expectNotification(page, "This is not text. Choose a text file in UTF-8")
    await expect(text).toHaveValue("A=1")

    const refusal = dialog.getByRole("alert")
    await paste(JSON.stringify(laughs.join("\n")))
    await expect(refusal).toContainText("The anchors and aliases in this YAML expand to too much.")
    await paste('"[".repeat(10_000)')
    await expect(refusal).toContainText("This text is nested more than 64 levels deep.")
    await paste('"A: " + "[".repeat(10_000)')
    await expect(refusal).toContainText("This text is nested more than 64 levels deep.")
    await paste(JSON.stringify('HELLO="encrypted:BDqDBibm4wsYqMpCjTQ6BsDHmMadg9K3"'))
    await expect(refusal).toContainText(
      "This file was encrypted by dotenvx. Run dotenvx decrypt, and import the result.",
    )
    await confirm.click()
    await expectNotification(page, "This file was encrypted by dotenvx. Run dotenvx decrypt, and import the result")
    expect(await stored()).toEqual([])

    // Longer than a field can show, and still imported.
    await paste('Array.from({ length: 40 }, (_, at) => "BIG_" + at + "=" + "x".repeat(30_000)).join("\\n")')
    await expect(dialog.getByText("A text of 1.2 million characters, too long to edit here.")).toBeVisible()
    await expect(rows("Added")).toHaveCount(40)
    await dialog.getByRole("button", { name: "Clear" }).click()
    await expect(text).toHaveValue("")
  },
)
