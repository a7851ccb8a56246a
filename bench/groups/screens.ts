import { existsSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import type { Browser, BrowserContext, Page } from "@playwright/test"
import type { Bench, Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { inNewContext, openBrowser, signedIn } from "../chromium.ts"
import { type Product, startProduct } from "../product.ts"
import { milliseconds, type Section, short } from "../report.ts"
import { type Stock, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"
import * as inPage from "./in-page.ts"

const itemCount = 5_000

export const screens: Group = {
  name: "screens",
  async run(bench) {
    if (!existsSync(join(import.meta.dirname, "../../web/src/features"))) {
      bench.say("  there are no screens yet, so their rows are left out")
      return []
    }
    const product = await startProduct(bench, await newStoreLocation(bench, "sqlite"))
    const stocked = await stock(product, itemCount)
    const browser = await openBrowser(bench)
    return [
      await firstLoads(bench, browser, { product, stocked }),
      await environment(bench, browser, { product, stocked }),
    ]
  },
}

async function firstLoads(
  bench: Bench,
  browser: Browser,
  { product, stocked }: { product: Product; stocked: Stock },
): Promise<Section> {
  const { landing, dashboard } = await byTurns(bench.options.turns, {
    landing: () => inNewContext(browser, (context) => load(context, product.url)),
    dashboard: () =>
      signedIn(browser, product, stocked, (context) => load(context, `${product.url}/collection/dashboard`)),
  })
  const row = (name: string, visits: Visit[]) => [
    name,
    `${short(median(visits.map(({ bytes }) => bytes)) / 1000)} kB`,
    milliseconds(median(visits.map(({ painted }) => painted))),
    milliseconds(median(visits.map(({ interactive }) => interactive))),
  ]
  return {
    title: "The first screens",
    how: "In Chromium, with an empty cache, on the same machine: the landing page for a guest, the dashboard for a user. Scripts: all that the page loads before it is used, gzipped. Interactive: the first content is painted and the last task of more than 50 ms has ended.",
    columns: ["", "scripts", "first paint", "interactive"],
    rows: [row("Landing page", landing), row("Dashboard", dashboard)],
    held: [],
  }
}

interface Visit extends inPage.Loading {
  bytes: number
}

async function load(context: BrowserContext, url: string): Promise<Visit> {
  const page = await context.newPage()
  const scripts: Promise<number>[] = []
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script") return
    scripts.push(response.body().then((body) => gzipSync(body).length))
  })
  await page.addInitScript(inPage.watchLoading)
  await page.goto(url)
  await page.getByRole("heading", { level: 1 }).waitFor()
  await page.waitForTimeout(500)
  const loading = await page.evaluate<inPage.Loading>(inPage.loading)
  return { ...loading, bytes: (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0) }
}

async function environment(
  bench: Bench,
  browser: Browser,
  { product, stocked }: { product: Product; stocked: Stock },
): Promise<Section> {
  const { visits } = await byTurns(bench.options.turns, {
    visits: () =>
      signedIn(browser, product, stocked, async (context) => {
        const page = await context.newPage()
        await page.goto(`${product.url}/collection/${stocked.collectionId}`)
        await page.getByRole("button", { name: /^production/ }).waitFor()
        await page.waitForTimeout(500)
        const expanded = await page.evaluate<number>(inPage.expand("production"))
        return { expanded, inRow: await typeInRow(page), inRawText: await typeInRawText(page) }
      }),
  })
  const expanded = median(visits.map((visit) => visit.expanded))
  const keys = (delays: number[][]) => [
    milliseconds(median(delays.map(median))),
    milliseconds(median(delays.map((all) => Math.max(...all)))),
  ]
  return {
    title: `An environment of ${itemCount.toLocaleString("en-US")} items on the screen`,
    how: "In Chromium. Expanding: from the click to the frame after the one that shows rows. Typing: 30 characters into the value of a row and into the raw text of all items, each from pressing the key to the end of the frame that shows it.",
    columns: ["", "expands in", "a key in a row", "slowest", "a key in the raw text", "slowest"],
    rows: [
      [
        "Chromium",
        milliseconds(expanded),
        ...keys(visits.map((visit) => visit.inRow)),
        ...keys(visits.map((visit) => visit.inRawText)),
      ],
    ],
    held: [hold("expand", "Chromium", expanded)],
  }
}

async function typeInRow(page: Page): Promise<number[]> {
  const rows = page.getByRole("region", { name: "production" }).getByRole("listitem")
  await rows.nth(2).getByLabel("Value").click()
  const delays = await typeThirty(page)
  // Undone, so that the page does not ask about it on leaving.
  await rows.nth(2).getByRole("button", { name: "Undo edits" }).click()
  return delays
}

async function typeInRawText(page: Page): Promise<number[]> {
  await page.getByRole("button", { name: "Edit raw values" }).click()
  const text = page.getByRole("dialog").getByLabel("Raw values", { exact: true })
  await text.press("Control+Home")
  return typeThirty(page)
}

async function typeThirty(page: Page): Promise<number[]> {
  await page.evaluate(inPage.watchKeys)
  await page.keyboard.type("thirty characters are typed in", { delay: 30 })
  return page.evaluate<number[]>(inPage.keyDelays)
}
