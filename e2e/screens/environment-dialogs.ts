import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"
import { collectionOf, production } from "./example.ts"
import type { Screen } from "./screen.ts"

async function exportAs(page: Page, given: Given, title: string): Promise<void> {
  await collectionOf(page, given)
  await production(page).getByRole("button", { name: "Export" }).click()
  await page.getByRole("menuitem", { name: title }).click()
  await expect(page.getByRole("dialog")).toBeVisible()
}

async function importText(page: Page, given: Given, text: string): Promise<void> {
  await collectionOf(page, given)
  await production(page).getByRole("button", { name: "Import" }).click()
  await page.getByLabel("Text to import").fill(text)
}

/** The id of the key of the example, whose collection is open. */
async function keyOf(page: Page, given: Given): Promise<number> {
  await collectionOf(page, given)
  const answer = await page.request.get("/api/api-key")
  const { data } = (await answer.json()) as { data: { id: number; name: string }[] }
  return data.find(({ name }) => name === "web-server-1")?.id ?? 0
}

const soon = () => new Date(Date.now() + 3.5 * 86_400_000).toISOString()

/** Four programs read production, then it changes, and one of them reads again. */
async function readByFour(page: Page, given: Given): Promise<void> {
  const id = await keyOf(page, given)
  const answer = await page.request.get("/api/api-key")
  const { data } = (await answer.json()) as { data: { id: number; key: string; subCollectionId: number }[] }
  const apiKey = data.find((one) => one.id === id)
  const read = (label: string) =>
    page.request.get("/api/v1/variables", {
      headers: {
        authorization: `Bearer ${apiKey?.key}`,
        "user-agent": "envkeep/0.2.0",
        "envkeep-instance": `${encodeURIComponent(label)};1`,
      },
    })
  const long = "billing-worker-7f9c6d5b8b-x2x4q.eu-central-1.compute.internal/invoices"
  for (const label of ["web-1", "web-2", "cron", long]) await read(label)
  await page.request.post("/api/collectionItem", {
    data: { name: "NEW_NAME", value: "new value", subCollectionId: apiKey?.subCollectionId },
  })
  await read("web-1")
  await expect(production(page).getByText("1 of 4 run the new value")).toBeAttached()
}

export const environmentDialogs: Screen[] = [
  {
    name: "environment-instances",
    show: readByFour,
  },
  {
    name: "dialog-instances",
    async show(page, given) {
      await readByFour(page, given)
      await production(page).getByTitle("Show what runs with this environment").click()
      await expect(page.getByText("3 of 4 still run the old value.")).toBeVisible()
    },
  },
  {
    name: "dialog-raw",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Edit raw values" }).click()
      await expect(page.getByLabel("Raw values", { exact: true })).toBeVisible()
    },
  },
  {
    name: "dialog-raw-dotenv",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Edit raw values" }).click()
      await page.getByLabel("Raw values", { exact: true }).fill('# from the old server\nexport LOG_LEVEL="info"\n')
      await expect(page.getByText("Every line is taken literally")).toBeVisible()
    },
  },
  {
    name: "dialog-export-menu",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Export" }).click()
      await expect(page.getByRole("menuitem").first()).toBeVisible()
    },
  },
  {
    name: "dialog-export",
    show: (page, given) => exportAs(page, given, ".env file"),
  },
  {
    name: "dialog-export-refused",
    show: (page, given) => exportAs(page, given, "Docker"),
  },
  {
    name: "dialog-import-empty",
    show: (page, given) => importText(page, given, ""),
  },
  {
    name: "dialog-import",
    async show(page, given) {
      await importText(
        page,
        given,
        `LOG_LEVEL=info\nSMTP_HOST=mail.example.com\nTRACING_URL=https://trace.example.com\n`,
      )
      await page.getByRole("radio", { name: /^Replace/ }).check()
      await page.getByRole("button", { name: "Show values" }).click()
    },
  },
  {
    name: "dialog-import-unreadable",
    show: (page, given) =>
      importText(
        page,
        given,
        `LOG_LEVEL=debug\nLOG_LEVEL=info\nthis is not a variable\nCOLOR=#fff\nKEY="never closed\n`,
      ),
  },
  {
    name: "dialog-import-lint",
    async show(page, given) {
      await importText(
        page,
        given,
        `LOG_LEVEL=debug\nLOG_LEVEL=info\nTOKEN='abc123def456 '\nTITLE=“My shop”\nAPI_KEY=changeme\nSECRET=your-secret-here\nREDIS_URL=redis://localhost:6379\nURL=https://\${HOST}/\n`,
      )
      await page.getByRole("button", { name: "Trim: TOKEN" }).click()
      await page.getByRole("radio", { name: "Choose for each name" }).check()
    },
  },
  {
    name: "dialog-import-parts",
    async show(page, given) {
      const web = "  web:\n    environment:\n      PORT: 8080\n      DEBUG: off\n      FROM_SHELL:\n"
      await importText(page, given, `services:\n${web}  db:\n    environment: [POSTGRES_PASSWORD=correct-horse]\n`)
      await expect(page.getByText("Recognised: Compose file")).toBeVisible()
    },
  },
  {
    name: "dialog-import-example",
    async show(page, given) {
      await importText(
        page,
        given,
        "# Where the app listens\n# @required @type=port\nPORT=3000\n\n# Shown in mails. Ask support before you change it\nSUPPORT_ADDRESS=help@example.com\n",
      )
      await expect(page.getByText("Describes 2 names")).toBeVisible()
    },
  },
  {
    name: "dialog-import-descriptions-beside",
    async show(page, given) {
      await importText(page, given, "# Where traces go\nTRACING_URL=https://trace.example.com\n")
      await page.getByRole("checkbox", { name: "Also fill descriptions of 1 name" }).check()
      await expect(page.getByRole("list", { name: "Found descriptions" })).toBeVisible()
    },
  },
  {
    name: "dialog-import-encrypted",
    async show(page, given) {
      await importText(page, given, 'HELLO="encrypted:BDqDBibm4wsYqMpCjTQ6BsDHmMadg9K3"\n')
      await expect(page.getByText("encrypted by dotenvx")).toBeVisible()
    },
  },
  {
    name: "dialog-keys",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Manage API keys" }).click()
      await expect(page.getByRole("listitem", { name: "web-server-1" })).toBeVisible()
    },
  },
  {
    name: "dialog-key-usage",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Manage API keys" }).click()
      await page.getByRole("listitem", { name: "web-server-1" }).getByRole("button", { name: "Use" }).click()
      await page.getByRole("tab", { name: "Node" }).click()
      await expect(page.getByText("Waiting for the first read")).toBeVisible()
    },
  },
  {
    name: "dialog-key-options",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Manage API keys" }).click()
      await page.getByRole("button", { name: "Options" }).click()
      await page.getByLabel("Expires").selectOption("On a date")
      await expect(page.getByLabel("Last day")).toBeVisible()
    },
  },
  {
    name: "dialog-key-management",
    async show(page, given) {
      const id = await keyOf(page, given)
      const settings = { allowedAddresses: ["10.0.0.0/8"], note: "The web server in Vienna", expiresAt: soon() }
      await page.request.put(`/api/api-key/${id}`, { data: settings })
      await page.reload()
      await production(page).getByRole("button", { name: "Manage API keys" }).click()
      await page.getByRole("listitem", { name: "web-server-1" }).getByRole("button", { name: "Manage" }).click()
      await expect(page.getByText("No reads within the last 30 days")).toBeVisible()
    },
  },
  {
    name: "key-leak",
    async show(page, given) {
      const id = await keyOf(page, given)
      await page.request.put(`/api/api-key/${id}/disabled`, { data: { isDisabled: true } })
      await page.goto(`${new URL(page.url()).pathname}/api-key/${id}/leak`)
      await expect(page.getByText(/^It stopped working on/)).toBeVisible()
    },
  },
  {
    name: "key-leak-working",
    async show(page, given) {
      const id = await keyOf(page, given)
      await page.goto(`${new URL(page.url()).pathname}/api-key/${id}/leak`)
      await expect(page.getByRole("button", { name: "Roll…" })).toBeVisible()
    },
  },
  {
    name: "dialog-keys-empty",
    async show(page, given) {
      await collectionOf(page, given)
      const staging = page.getByRole("region", { name: "staging" })
      await staging.getByRole("button", { name: "Manage API keys" }).click()
      await expect(page.getByText("No API Keys")).toBeVisible()
    },
  },
  {
    name: "dialog-delete-key",
    async show(page, given) {
      await collectionOf(page, given)
      await production(page).getByRole("button", { name: "Manage API keys" }).click()
      await page.getByRole("listitem", { name: "web-server-1" }).getByRole("button", { name: "Delete" }).click()
      await expect(page.getByText("stops working within a second")).toBeVisible()
    },
  },
]
