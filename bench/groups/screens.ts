import type { BrowserContext } from "@playwright/test"
import type { Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openBrowser, signedIn } from "../chromium.ts"
import { milliseconds, whole } from "../report.ts"
import { serveNew } from "../served.ts"
import { byTurns, median } from "../turns.ts"
import * as inPage from "./in-page.ts"

const itemCount = 5_000

export const screens: Group = {
  name: "screens",
  async run(bench) {
    const served = await serveNew(bench, "sqlite", { variables: itemCount })
    const browser = await openBrowser(bench)
    const visit = async (context: BrowserContext) => {
      const page = await context.newPage()
      await page.goto(`${served.url}/collection/${served.stocked.collectionId}`)
      await page.getByRole("button", { name: /^production/ }).waitFor()
      await page.waitForTimeout(500)
      return page.evaluate<number>(inPage.expand("production"))
    }
    const { visits } = await byTurns(bench.options.turns, { visits: () => signedIn(browser, served, visit) })
    return [
      {
        title: `An environment of ${whole(itemCount)} items on the screen`,
        how: "In Chromium. Expanding: from the click to the frame after the one that shows rows.",
        columns: ["", "expands in"],
        rows: [["Chromium", milliseconds(median(visits))]],
        held: [hold("expand", "Chromium", median(visits))],
      },
    ]
  },
}
