import type { BrowserContext } from "@playwright/test"
import type { Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openBrowser, signedIn } from "../chromium.ts"
import { milliseconds, whole } from "../report.ts"
import { type Served, serveNew } from "../served.ts"
import { bulkRequest, newEnvironment, variableList } from "../stock.ts"
import { byTurns, median } from "../turns.ts"
import * as inPage from "./in-page.ts"

const nameCount = 5_000
const environmentCount = 8

export const grid: Group = {
  name: "grid",
  async run(bench) {
    const served = await serveNew(bench, "sqlite", { variables: nameCount })
    await addEnvironments(served)
    const browser = await openBrowser(bench)
    const visit = async (context: BrowserContext) => {
      const page = await context.newPage()
      await page.addInitScript(inPage.watchGrid)
      await page.goto(`${served.url}/collection/${served.stocked.collectionId}/compare`)
      const openedMs = await page.evaluate<number>(inPage.gridShown)
      return { openedMs, ...(await page.evaluate<inPage.Scrolling>(inPage.scrollGrid)) }
    }
    const { visits } = await byTurns(bench.options.turns, { visits: () => signedIn(browser, served, visit) })

    const openedMs = median(visits.map((one) => one.openedMs))
    const blankFrames = Math.max(...visits.map((one) => one.blankFrames))
    const slowestFrameMs = median(visits.map((one) => one.slowestFrameMs))
    return [
      {
        title: `${whole(nameCount)} names of ${environmentCount} environments side by side`,
        how: "In Chromium, with an empty cache. Opening: from the start of the navigation to the frame after the one that shows rows, so with everything that is loaded for it. Scrolling: 200 frames, in each of which the grid scrolls by three screens; a frame is blank if a part of the grid shows no row.",
        columns: ["", "opens in", "blank frames", "slowest frame"],
        rows: [["Chromium", milliseconds(openedMs), String(blankFrames), milliseconds(slowestFrameMs)]],
        held: [hold("gridOpen", "Chromium", openedMs), hold("gridBlank", "Chromium", blankFrames)],
      },
    ]
  },
}

/** In every second one all values differ, in each some names are missing. */
async function addEnvironments({ url, ask, stocked: { cookie, collectionId } }: Served): Promise<void> {
  for (let index = 1; index < environmentCount; index++) {
    const id = await newEnvironment(url, { cookie, collectionId, name: `environment ${index}` })
    const variables = variableList(nameCount, index % 2 === 0 ? "" : index).filter((_, at) => at % 100 !== index)
    await ask(bulkRequest(cookie, id, variables))
  }
}
