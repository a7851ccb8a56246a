import { findChromium } from "@envkeep/testing/machine/chromium.ts"
import { type Browser, type BrowserContext, chromium } from "@playwright/test"
import type { Bench } from "./bench.ts"
import type { Product } from "./product.ts"
import type { Stock } from "./stock.ts"

/** Talks to our server only, without the browser's own background requests. */
export async function openBrowser({ cleanup }: Bench): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--no-first-run"],
  })
  cleanup.later(() => browser.close())
  return browser
}

export async function inNewContext<Result>(
  browser: Browser,
  work: (context: BrowserContext) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

/** In a new context with the session of the owner. */
export function signedIn<Result>(
  browser: Browser,
  { url }: Product,
  { cookie }: Stock,
  work: (context: BrowserContext) => Promise<Result>,
): Promise<Result> {
  return inNewContext(browser, async (context) => {
    const [name = "", value = ""] = cookie.split("=")
    await context.addCookies([{ name, value, url }])
    return work(context)
  })
}
