import { readFile } from "node:fs/promises"
import type { Page } from "@playwright/test"
import { expect, expectNotification, type Given, long, test } from "./test.ts"

const pem = "-----BEGIN PRIVATE KEY-----\nMIIEvQ$HOME\n`id` \\n\n-----END PRIVATE KEY-----\n"
const items = [
  { name: "KEY", value: pem },
  { name: "PRICE", value: "$5 $(id)" },
  { name: "ÜMLAUT", value: "größer 🗝" },
]

async function collectionWith(page: Page, given: Given, held = items, name = "production") {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, name, held)
  await page.goto(`/collection/${id}`)
  const open = page.getByRole("button", { name: "Export" })
  async function choose(title: string) {
    await open.click()
    await page.getByRole("menuitem", { name: new RegExp(`^${title}`) }).click()
    return page.getByRole("dialog")
  }
  return { open, choose }
}

async function downloaded(page: Page): Promise<{ name: string; bytes: string }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("dialog").getByRole("button", { name: "Download" }).click(),
  ])
  return { name: file.suggestedFilename(), bytes: (await readFile(await file.path())).toString("base64") }
}

const base64 = (text: string) => Buffer.from(text).toString("base64")

test("the Export menu lists every format and its readers, and works by keyboard", async ({ page, given }) => {
  const { open } = await collectionWith(page, given)
  await open.focus()
  await page.keyboard.press("Enter")
  const lines = page.getByRole("menuitem")
  await expect(lines).toHaveText([
    /^JSONFor any JSON parser/,
    /^Raw textFor Envkeep's own bulk editor/,
    /^\.env fileFor dotenv 16 to 18, node --env-file/,
    /^Shell scriptFor sh, bash and dash/,
    /^DockerFor docker run --env-file/,
    /^systemdFor EnvironmentFile=/,
    /^YAMLFor any YAML/,
    /^Kubernetes SecretFor kubectl apply/,
    /^\.env\.exampleNames, descriptions and examples/,
  ])
  await expect(lines.first()).toBeFocused()
  await page.keyboard.press("ArrowDown")
  await expect(lines.nth(1)).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(lines).toHaveCount(0)
  await expect(open).toBeFocused()

  await page.keyboard.press("Enter")
  await expect(lines.first()).toBeFocused()
  await page.keyboard.press("Enter")
  const dialog = page.getByRole("dialog", { name: "Export production: JSON" })
  await expect(dialog.getByRole("button", { name: "Download production.json" })).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(dialog).toHaveCount(0)
  await expect(open).toBeFocused()
})

test("downloads and copies are exact to the byte", async ({ page, given }) => {
  const { choose } = await collectionWith(page, given)
  const dialog = await choose("JSON")
  const json = JSON.stringify(Object.fromEntries(items.map(({ name, value }) => [name, value])))
  expect(await downloaded(page)).toEqual({ name: "production.json", bytes: base64(json) })
  await dialog.getByRole("button", { name: "Copy" }).click()
  await expectNotification(page, "Copied to clipboard")
  expect(await page.evaluate<string>("navigator.clipboard.readText()")).toBe(json)
})

test("a key in PEM format and dollar signs reach a .env file and a Secret unharmed", async ({ page, given }) => {
  const held = items.slice(0, 2)
  const { choose } = await collectionWith(page, given, held, "Prod / EU")
  const dialog = await choose("\\.env file")
  const text = `KEY='${pem}'\nPRICE='$5 $(id)'\n`
  expect(await downloaded(page)).toEqual({ name: "Prod-EU.env", bytes: base64(text) })
  await page.keyboard.press("Escape")
  await expect(dialog).toHaveCount(0)

  await choose("Kubernetes Secret")
  const secret = await downloaded(page)
  expect(secret.name).toBe("Prod-EU-secret.yaml")
  expect(Buffer.from(secret.bytes, "base64").toString()).toContain(`"KEY": "${base64(pem)}"\n`)
})

test("values are masked until they are shown", long, async ({ page, given }) => {
  const { choose } = await collectionWith(page, given, items.slice(0, 2))
  const dialog = await choose("Kubernetes Secret")
  const preview = dialog.getByLabel("Preview")
  await expect(preview).toHaveValue(/"KEY": "\*{8}"\n {2}"PRICE": "\*{8}"/)
  await dialog.getByRole("button", { name: "Show values" }).click()
  await expect(preview).toHaveValue(new RegExp(base64("$5 $(id)")))
})

test("every variable that a format cannot hold is listed, and the formats that can hold all are offered", async ({
  page,
  given,
}) => {
  const { choose } = await collectionWith(page, given, [...items, { name: "2ND KEY", value: "x" }])
  const dialog = await choose("Docker")
  await expect(dialog.getByRole("list", { name: "Refused variables" }).getByRole("listitem")).toHaveText([
    "KEY: its value has a line break",
    /^2ND KEY: its name/,
  ])
  await expect(dialog.getByRole("button", { name: "Download" })).toHaveCount(0)
  await expect(dialog.getByRole("button")).toHaveText(["", "JSON", "YAML", "Close"])
  await dialog.getByRole("button", { name: "YAML" }).click()
  await expect(dialog).toHaveAccessibleName("Export production: YAML")
  await expect(dialog.getByRole("button", { name: "Download production.yaml" })).toBeFocused()
})

test(
  "an export contains saved values only, and says so when there are unsaved edits",
  long,
  async ({ page, given }) => {
    const { choose } = await collectionWith(page, given, [{ name: "PORT", value: "80" }])
    await page.getByRole("button", { name: /^production/ }).click()
    await page.getByRole("listitem", { name: "PORT" }).getByLabel("Value").fill("8080")
    const dialog = await choose("JSON")
    await expect(dialog.getByText("It contains saved values only, without your 1 unsaved row.")).toBeVisible()
    expect((await downloaded(page)).bytes).toBe(base64('{"PORT":"80"}'))
  },
)
