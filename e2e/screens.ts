import type { Page } from "@playwright/test"
import { chooseMore, expect, type Given, paste } from "./test.ts"

interface Screen {
  name: string
  /** Navigates the page to the screen. */
  show: (page: Page, given: Given) => Promise<void>
}

const certificate =
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQm9i\nAxkQ2d1c3RvbWVyMB4XDTI1\n-----END CERTIFICATE-----"

const items = [
  { name: "DATABASE_URL", value: "postgres://billing:s3cret@db.internal:5432/billing" },
  { name: "REDIS_URL", value: "redis://cache.internal:6379/0" },
  { name: "PAYMENT_API_KEY", value: "pay-7Hq2-mZvK-Ylo2-C9dT" },
  { name: "SESSION_SECRET", value: "b7f0c1d29e4a48c8a1d3" },
  { name: "SMTP_HOST", value: "smtp.example.com" },
  { name: "SMTP_PASSWORD", value: "correct-horse-battery-staple" },
  { name: "TLS_CERTIFICATE", value: certificate },
  { name: "LOG_LEVEL", value: "info" },
]

async function collectionOf(page: Page, given: Given): Promise<void> {
  await given.user()
  const id = await given.collection(
    "billing-api",
    "Invoices, subscriptions and the nightly export.\nOwned by payments.",
  )
  const production = await given.environment(id, "production", items)
  await given.environment(id, "staging", items.slice(0, 3))
  await given.environment(id, "development")
  await given.apiKey(production, "web-server-1")
  await given.apiKey(production, "nightly-export")
  await page.goto(`/collection/${id}`)
  await expect(page.getByRole("heading", { name: "billing-api" })).toBeVisible()
}

const production = (page: Page) => page.getByRole("region", { name: "production", exact: true })

async function expanded(page: Page, given: Given): Promise<void> {
  await collectionOf(page, given)
  await production(page)
    .getByRole("button", { name: /^production/ })
    .click()
  await expect(production(page).getByRole("listitem").first()).toBeVisible()
}

async function pasteIntoName(page: Page, given: Given): Promise<void> {
  await expanded(page, given)
  await paste(
    page,
    production(page).getByLabel("Name", { exact: true }).first(),
    "PORT=8080\nHOST=localhost\nLOG_LEVEL=debug",
  )
  await expect(page.getByRole("dialog")).toBeVisible()
}

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

/** The history of an environment in which about everything has happened. */
async function historyOf(page: Page, given: Given): Promise<void> {
  await given.user()
  const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  const environment = await given.environment(id, "production", items)
  const send = async (method: "post" | "put" | "delete", path: string, data?: unknown) => {
    const answer = await page.request[method](`/api${path}`, data === undefined ? {} : { data })
    return ((await answer.json()) as { data: { id: number } }).data
  }
  const added = { name: "TRACING_URL", value: "https://trace.example.com", subCollectionId: environment }
  const { id: item } = await send("post", "/collectionItem", added)
  await send("put", `/collectionItem/${item}`, {
    name: "OTEL_URL",
    value: added.value,
    note: "the name that our agent reads",
  })
  await send("put", `/subcollection/${environment}`, { name: "prod" })
  await send("put", `/subcollection/${environment}`, { name: "production" })
  const edited = items
    .slice(0, -1)
    .map((one) => (one.name === "SMTP_HOST" ? { ...one, value: "mail.example.com" } : one))
  const note = "move mail to the new provider, see the runbook of the week before last"
  await send("post", `/subcollection/${environment}/bulk?note=${encodeURIComponent(note)}`, [
    ...edited,
    { name: "SMTP_PORT", value: "587" },
  ])
  await send("post", `/environments/${environment}/restore`, { revision: 5 })
  await send("post", `/environments/${environment}/restore-item`, { name: "SMTP_PORT", revision: 7 })
  await send("post", `/environments/${environment}/erase`, { name: "SMTP_HOST", revision: 2 })
  await page.goto(`/collection/${id}/history/${environment}`)
  await expect(page.getByRole("heading", { name: "History of production" })).toBeVisible()
  await expect(page.getByRole("listitem", { name: "Revision 1", exact: true })).toBeVisible()
}

const revision = (page: Page, number: number) => page.getByRole("listitem", { name: `Revision ${number}`, exact: true })

async function openRevision(page: Page, number: number): Promise<void> {
  await revision(page, number)
    .getByRole("button", { name: `Revision ${number}` })
    .click()
  await expect(revision(page, number).getByRole("button", { name: "Show values" })).toBeVisible()
}

/** Some collections in the trash. */
async function deleted(page: Page, given: Given): Promise<void> {
  await given.user()
  const billing = await given.collection("billing-api")
  await given.environment(billing, "production", items)
  const long = await given.collection("a-name-without-any-break-that-a-user-chose-because-nothing-stopped-them-from-it")
  for (const id of [await given.collection("storefront"), billing, long]) {
    await page.request.delete(`/api/collection/${id}`)
  }
  await heading(page, "/collection/trash", "Trash")
  await expect(page.getByRole("button", { name: "Restore billing-api" })).toBeVisible()
}

async function heading(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole("heading", { name, exact: true })).toBeVisible()
}

/** Every screen and every dialog, with content. */
export const screens: Screen[] = [
  { name: "landing", show: (page) => heading(page, "/", "Environment variables, kept.") },
  { name: "login", show: (page) => heading(page, "/login", "Login") },
  { name: "register", show: (page) => heading(page, "/register", "Register") },
  {
    name: "login-refused",
    async show(page) {
      await heading(page, "/login", "Login")
      await page.getByRole("button", { name: "Login" }).click()
      await expect(page.getByRole("alert").getByText("Please fill in all fields")).toBeVisible()
    },
  },
  {
    name: "reset",
    async show(page) {
      const usable = { error: false, msg: "OK", data: null }
      await page.route("**/api/users/password/reset-link", (route) => route.fulfill({ json: usable }))
      await heading(page, "/reset#token", "Reset password")
      await expect(page.getByLabel("New password")).toBeVisible()
    },
  },
  {
    name: "reset-refused",
    async show(page) {
      await heading(page, "/reset", "Reset password")
      await expect(page.getByRole("main").getByText("This link is not valid")).toBeVisible()
    },
  },
  { name: "not-found", show: (page) => heading(page, "/nowhere", "404") },
  {
    name: "error",
    async show(page) {
      await page.route("**/assets/LoginScreen-*.js", (route) => route.abort())
      await heading(page, "/login", "This screen could not be loaded")
    },
  },
  {
    name: "profile",
    async show(page, given) {
      await given.user()
      await heading(page, "/user/dashboard", "Profile")
    },
  },
  {
    name: "dashboard-empty",
    async show(page, given) {
      await given.user()
      await page.goto("/collection/dashboard")
      await expect(page.getByText("Name your first app")).toBeVisible()
    },
  },
  {
    name: "dashboard",
    async show(page, given) {
      await given.user()
      const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
      for (const name of ["development", "staging", "production", "preview"]) await given.environment(id, name)
      await given.environment(await given.collection("storefront", "The shop that customers see."), "production")
      await given.collection("a-name-without-any-break-that-a-user-chose-because-nothing-stopped-them-from-doing-so")
      await given.collection(
        "mobile-gateway",
        "Push messages, device registration and a description that is long. ".repeat(4),
      )
      await page.request.delete(`/api/collection/${await given.collection("prototype")}`)
      await page.goto("/collection/dashboard")
      await expect(page.getByRole("heading", { name: "storefront" })).toBeVisible()
      await expect(page.getByRole("link", { name: "Trash (1)" })).toBeVisible()
    },
  },
  {
    name: "collection-new-refused",
    async show(page, given) {
      await given.user()
      await heading(page, "/collection/new", "New Collection")
      await page.getByRole("button", { name: "Create" }).click()
      await expect(page.getByText("Name is required")).toHaveCount(2)
    },
  },
  {
    name: "collection-new",
    async show(page, given) {
      await given.user()
      await heading(page, "/collection/new", "New Collection")
    },
  },
  {
    name: "collection-empty",
    async show(page, given) {
      await given.user()
      await page.goto(`/collection/${await given.collection("storefront", "The shop that customers see.")}`)
      await expect(page.getByText("No environments yet")).toBeVisible()
    },
  },
  {
    name: "collection-gone",
    async show(page, given) {
      await given.user()
      await page.goto("/collection/999999")
      await expect(page.getByText("This collection is not available")).toBeVisible()
    },
  },
  { name: "trash", show: deleted },
  {
    name: "dialog-purge",
    async show(page, given) {
      await deleted(page, given)
      await page.getByRole("button", { name: "Delete forever: billing-api" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete forever" }).click()
      await expect(page.getByRole("dialog").getByText("Name is required")).toBeVisible()
    },
  },
  {
    name: "collection-trash-empty",
    async show(page, given) {
      await given.user()
      await heading(page, `/collection/${await given.collection("storefront")}/trash`, "Trash")
      await expect(page.getByText("The trash is empty")).toBeVisible()
    },
  },
  { name: "collection", show: collectionOf },
  {
    name: "activity",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("link", { name: "Activity" }).click()
      await expect(page.getByRole("listitem").first()).toBeVisible()
    },
  },
  { name: "environment", show: expanded },
  {
    name: "environment-shown",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("button", { name: "Show all values" }).click()
      await production(page)
        .getByRole("listitem", { name: "SESSION_SECRET" })
        .getByLabel("Value")
        .fill("6f1d-not-saved-yet")
      await page.mouse.move(0, 0)
    },
  },
  {
    name: "environment-conflict",
    async show(page, given) {
      await expanded(page, given)
      const row = production(page).getByRole("listitem", { name: "LOG_LEVEL" })
      await row.getByLabel("Value").fill("debug")
      const id = Number(/env=(\d+)/.exec(page.url())?.[1])
      const { data } = await (await page.request.get(`/api/subcollection/${id}`)).json()
      const item = data.collectionItems.find(({ name }: { name: string }) => name === "LOG_LEVEL")
      await page.request.put(`/api/collectionItem/${item.id}`, { data: { name: "LOG_LEVEL", value: "warn" } })
      await expect(row.getByText(/^Changed by .* just now$/)).toBeVisible()
    },
  },
  {
    name: "environment-empty",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: /^development/ }).click()
      await expect(page.getByText("No items yet")).toBeVisible()
    },
  },
  {
    name: "environment-many",
    async show(page, given) {
      await given.user()
      const id = await given.collection("warehouse", "Thousands of switches.")
      const many = Array.from({ length: 5000 }, (_, at) => ({ name: `SWITCH_${at}`, value: `value ${at}` }))
      await given.environment(id, "production", many)
      await page.goto(`/collection/${id}`)
      await page.getByRole("button", { name: /^production/ }).click()
      await page.getByLabel("Filter items").fill("42")
      await expect(page.getByText(/of 5,000/)).toBeVisible()
    },
  },
  {
    name: "environment-new-rows",
    async show(page, given) {
      await pasteIntoName(page, given)
      await page.getByRole("button", { name: "Split into 3 rows" }).click()
      await expect(page.getByRole("dialog")).toHaveCount(0)
      await page.getByLabel("Name", { exact: true }).nth(1).fill("not-for-shells")
    },
  },
  { name: "dialog-paste", show: pasteIntoName },
  {
    name: "dialog-shortcuts",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "edit-names",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Edit name" }).first().click()
      await chooseMore(production(page), "Edit name")
    },
  },
  {
    name: "environment-menu",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("button", { name: "More actions" }).click()
      await expect(page.getByRole("menuitem").first()).toBeVisible()
    },
  },
  {
    name: "dialog-copy",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: /^development/ }).click()
      await page.getByRole("button", { name: "Copy from…" }).click()
      await expect(page.getByText("Choose an environment")).toBeVisible()
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
  {
    name: "dialog-delete-collection",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Delete collection" }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "history",
    async show(page, given) {
      await historyOf(page, given)
      await openRevision(page, 4)
      await openRevision(page, 7)
      await revision(page, 7).getByRole("button", { name: "Show values", exact: true }).click()
      await revision(page, 3).getByRole("checkbox").check()
      await revision(page, 7).getByRole("checkbox").check()
    },
  },
  {
    name: "history-first",
    async show(page, given) {
      await given.user()
      const id = await given.collection("storefront")
      await page.goto(`/collection/${id}/history/${await given.environment(id, "production")}`)
      await expect(page.getByText("Nothing has changed yet")).toBeVisible()
    },
  },
  {
    name: "history-compare",
    async show(page, given) {
      await historyOf(page, given)
      await page.goto(`${page.url()}?compare=2-7`)
      await page.getByRole("button", { name: "Show values", exact: true }).click()
      await page.mouse.move(0, 0)
    },
  },
  {
    name: "dialog-restore",
    async show(page, given) {
      await historyOf(page, given)
      await openRevision(page, 7)
      await revision(page, 7).getByRole("button", { name: "Restore…" }).click()
      await page.getByRole("dialog").getByLabel("Note").fill("the new provider is down")
    },
  },
  {
    name: "dialog-item-history",
    async show(page, given) {
      await historyOf(page, given)
      await openRevision(page, 7)
      await revision(page, 7).getByRole("button", { name: "History of SMTP_HOST" }).click()
      await page.getByRole("button", { name: "Show value", exact: true }).first().click()
      await expect(page.getByRole("dialog").getByText(/^Erased for good by/)).toBeVisible()
    },
  },
  {
    name: "dialog-erase",
    async show(page, given) {
      await historyOf(page, given)
      await openRevision(page, 7)
      await revision(page, 7).getByRole("button", { name: "History of SMTP_HOST" }).click()
      await page.getByRole("button", { name: "Erase value" }).first().click()
      await expect(page.getByText("Erase this value for good?")).toBeVisible()
    },
  },
  {
    name: "item-deleted",
    async show(page, given) {
      await expanded(page, given)
      // It stays long enough for every picture.
      await page.clock.install()
      await production(page)
        .getByRole("listitem", { name: "LOG_LEVEL" })
        .getByRole("button", { name: "Delete" })
        .click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await expect(page.getByRole("alert").getByRole("button", { name: "Undo" })).toBeVisible()
    },
  },
  {
    name: "dialog-delete-item",
    async show(page, given) {
      await expanded(page, given)
      await production(page)
        .getByRole("listitem", { name: "LOG_LEVEL" })
        .getByRole("button", { name: "Delete" })
        .click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "environment-note",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("listitem", { name: "LOG_LEVEL" }).getByLabel("Value").fill("debug")
      await production(page).getByRole("button", { name: "Add a note" }).click()
      await page.getByLabel("Note", { exact: true }).fill("to find the slow query")
    },
  },
  {
    name: "dialog-leave",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("listitem", { name: "LOG_LEVEL" }).getByLabel("Value").fill("debug")
      await page.getByRole("link", { name: "Dashboard" }).click()
      await expect(page.getByText("Leave without saving?")).toBeVisible()
    },
  },
  {
    name: "admin",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/dashboard", "Admin Dashboard")
    },
  },
  {
    name: "admin-products",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/products", "Products")
    },
  },
  {
    name: "admin-category",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/products", "Products")
      await page.getByRole("combobox", { name: "Category" }).fill("book")
      await expect(page.getByRole("option", { name: "BOOKS", exact: true })).toBeVisible()
    },
  },
  {
    name: "admin-placeholder",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/subscriptions", "Subscriptions")
    },
  },
]
