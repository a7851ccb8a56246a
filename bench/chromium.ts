import { findChromium } from "@envkeep/testing/machine/chromium.ts"
import { type Browser, type BrowserContext, chromium } from "@playwright/test"
import type { Bench } from "./bench.ts"
import type { Served } from "./served.ts"

/** Talks to our server only, without the browser's own background requests. */
export async function openBrowser({ cleanup }: Bench): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  })
  cleanup.later(() => browser.close())
  return browser
}

/** In a new context, with an empty cache and the session of the owner. */
export async function signedIn<Result>(
  browser: Browser,
  { url, stocked: { cookie } }: Served,
  work: (context: BrowserContext) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const cookies = cookie.split("; ").map((one) => one.split("="))
  await context.addCookies(cookies.map(([name = "", value = ""]) => ({ name, value, url })))
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}
