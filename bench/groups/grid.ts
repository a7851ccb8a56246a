import type { Browser, BrowserContext } from "@playwright/test"
import type { Bench, Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openBrowser, signedIn } from "../chromium.ts"
import { type Product, startProduct } from "../product.ts"
import { milliseconds, type Section, whole } from "../report.ts"
import { call, newEnvironment, type Stock, stock, variableList } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"
import * as inPage from "./in-page.ts"

const nameCount = 5_000
const environmentCount = 8

export const grid: Group = {
  name: "grid",
  async run(bench) {
    const product = await startProduct(bench, await newStoreLocation(bench, "sqlite"))
    const stocked = await stock(product, nameCount)
    await fill(product, stocked)
    return [await measure(bench, await openBrowser(bench), { product, stocked })]
  },
}

/** Adds the other environments. In every second one all values differ, in each some names are missing. */
async function fill({ url }: Product, { cookie, collectionId }: Stock): Promise<void> {
  const headers = { cookie }
  for (let index = 1; index < environmentCount; index++) {
    const id = await newEnvironment(url, { cookie, collectionId, name: `environment ${index}` })
    const body = variableList(nameCount, index % 2 === 0 ? "" : index).filter((_, at) => at % 100 !== index)
    await call(url, { method: "POST", path: `/subcollection/${id}/bulk`, headers, body })
  }
}

async function measure(
  bench: Bench,
  browser: Browser,
  { product, stocked }: { product: Product; stocked: Stock },
): Promise<Section> {
  const path = `/collection/${stocked.collectionId}/compare`
  const visit = async (context: BrowserContext) => {
    const page = await context.newPage()
    await page.addInitScript(inPage.watchGrid)
    await page.goto(`${product.url}${path}`)
    const openedMs = await page.evaluate<number>(inPage.gridShown)
    return { openedMs, ...(await page.evaluate<inPage.Scrolling>(inPage.scrollGrid)) }
  }
  const { visits } = await byTurns(bench.options.turns, {
    visits: () => signedIn(browser, product, stocked, visit),
  })
  const openedMs = median(visits.map((one) => one.openedMs))
  const blankFrames = Math.max(...visits.map((one) => one.blankFrames))
  return {
    title: `${whole(nameCount)} names of ${environmentCount} environments side by side`,
    how: "In Chromium, with an empty cache. Opening: from the start of the navigation to the frame after the one that shows rows, so with everything that is loaded for it. Scrolling: 200 frames, in each of which the grid scrolls by three screens; a frame is blank if a part of the grid shows no row.",
    columns: ["", "opens in", "blank frames", "slowest frame"],
    rows: [
      [
        "Chromium",
        milliseconds(openedMs),
        String(blankFrames),
        milliseconds(median(visits.map((one) => one.slowestFrameMs))),
      ],
    ],
    held: [hold("gridOpen", "Chromium", openedMs), hold("gridBlank", "Chromium", blankFrames)],
  }
}
