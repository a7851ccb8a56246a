import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"
import { items } from "./example.ts"
import type { Screen } from "./screen.ts"

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

export const historyScreens: Screen[] = [
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
]
