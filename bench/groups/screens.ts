import { findChromium } from "@envkeep/testing/machine/chromium.ts"
import { chromium, type Page } from "@playwright/test"
import type { Bench, Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { milliseconds, whole } from "../report.ts"
import { type Served, serveNew } from "../served.ts"
import { bulkRequest, variableList } from "../stock.ts"
import { byTurns, median } from "../turns.ts"

/** Visits of the owner in turns, each in a new context with an empty cache. The browser talks to our server only. */
async function visits<Result>(
  { cleanup, options }: Bench,
  { url, stocked }: Served,
  visit: (page: Page) => Promise<Result>,
) {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  })
  cleanup.defer(() => browser.close())
  const cookies = stocked.cookie.split("; ").map((one) => one.split("="))
  const once = async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.addCookies(cookies.map(([name = "", value = ""]) => ({ name, value, url })))
    const result = await visit(await context.newPage())
    await context.close()
    return result
  }
  return (await byTurns(options.turns, { once })).once
}

// What runs in the page is text: there is no `document` here.

/** Clicks the block's toggle; returns the time until the frame after the one that shows its rows. */
const expand = (name: string) => `new Promise((resolve) => {
  const toggle = [...document.querySelectorAll("button[aria-expanded]")]
    .find((button) => button.textContent.trim().startsWith(${JSON.stringify(name)}))
  const began = performance.now()
  toggle.click()
  const look = () => {
    const shown = document.querySelector("li input, [role=listitem] input") !== null
    requestAnimationFrame(shown ? () => resolve(performance.now() - began) : look)
  }
  requestAnimationFrame(look)
})`

const itemCount = 5_000

export const screens: Group = {
  name: "screens",
  async run(bench) {
    const served = await serveNew(bench, "sqlite", { variables: itemCount })
    const expandedMs = await visits(bench, served, async (page) => {
      await page.goto(`${served.url}/collection/${served.stocked.collectionId}`)
      await page.getByRole("button", { name: /^production/ }).waitFor()
      await page.waitForTimeout(500)
      return page.evaluate<number>(expand("production"))
    })
    return [
      {
        title: `An environment of ${whole(itemCount)} items on the screen`,
        how: "In Chromium. Expanding: from the click to the frame after the one that shows rows.",
        columns: ["", "expands in"],
        rows: [["Chromium", milliseconds(median(expandedMs))]],
        held: [hold("expand", "Chromium", median(expandedMs))],
      },
    ]
  },
}

/** Runs before the page's own scripts: records when the first frame after one with rows of the grid begins. */
const watchGrid = `
  window.benchGrid = new Promise((resolve) => {
    const look = () => {
      const shown = document.querySelector("[role=grid] [role=gridcell]") !== null
      requestAnimationFrame(shown ? () => resolve(performance.now()) : look)
    }
    requestAnimationFrame(look)
  })`

/** Scrolls three screens in each frame, and looks in each whether rows fill the grid. */
const scrollGrid = `new Promise((resolve) => {
  const grid = document.querySelector("[role=grid]")
  const { left, top, bottom } = grid.getBoundingClientRect()
  const head = grid.querySelector("[role=columnheader]").getBoundingClientRect()
  const isRowAt = (y) => document.elementFromPoint(left + 20, y)?.closest("[role=row]") != null
  let frames = 0, blankFrames = 0, slowestFrameMs = 0, last = performance.now()
  const step = () => {
    // The scroll event of the last frame has been handled: this is what is painted next.
    const now = performance.now()
    slowestFrameMs = Math.max(slowestFrameMs, now - last)
    last = now
    const places = [head.bottom + 4, (head.bottom + bottom) / 2, bottom - 4]
    if (!places.every(isRowAt)) blankFrames++
    if (++frames > 200) return resolve({ blankFrames, slowestFrameMs })
    const end = grid.scrollHeight - grid.clientHeight
    grid.scrollTop = (grid.scrollTop + 3 * (bottom - top)) % end
    requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

const environmentCount = 8

export const grid: Group = {
  name: "grid",
  async run(bench) {
    const served = await serveNew(bench, "sqlite", { variables: itemCount })
    await addEnvironments(served)
    const seen = await visits(bench, served, async (page) => {
      await page.addInitScript(watchGrid)
      await page.goto(`${served.url}/collection/${served.stocked.collectionId}/compare`)
      const openedMs = await page.evaluate<number>("window.benchGrid")
      return { openedMs, ...(await page.evaluate<{ blankFrames: number; slowestFrameMs: number }>(scrollGrid)) }
    })
    const openedMs = median(seen.map((one) => one.openedMs))
    const blankFrames = Math.max(...seen.map((one) => one.blankFrames))
    const slowestFrameMs = median(seen.map((one) => one.slowestFrameMs))
    return [
      {
        title: `${whole(itemCount)} names of ${environmentCount} environments side by side`,
        how: "In Chromium, with an empty cache. Opening: from the start of the navigation to the frame after the one that shows rows, so with everything that is loaded for it. Scrolling: 200 frames, in each of which the grid scrolls by three screens; a frame is blank if a part of the grid shows no row.",
        columns: ["", "opens in", "blank frames", "slowest frame"],
        rows: [["Chromium", milliseconds(openedMs), String(blankFrames), milliseconds(slowestFrameMs)]],
        held: [hold("gridOpen", "Chromium", openedMs), hold("gridBlank", "Chromium", blankFrames)],
      },
    ]
  },
}

/** In every second one all values differ, in each some names are missing. */
async function addEnvironments({ ask, owner, stocked: { collectionId } }: Served): Promise<void> {
  for (let index = 1; index < environmentCount; index++) {
    const id = await owner.environment(`environment ${index}`, collectionId)
    const variables = variableList(itemCount, index % 2 === 0 ? "" : index).filter((_, at) => at % 100 !== index)
    await ask(bulkRequest(owner.cookie, id, variables))
  }
}
