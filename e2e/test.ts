import { randomInt, randomUUID } from "node:crypto"
import { findLeaks, registerSecretsIn } from "@envkeep/testing/leaks.ts"
import { test as base, expect, type Locator, type Page } from "@playwright/test"
import { watchPage } from "./leaks.ts"
import { admin, type Server, startServer } from "./server.ts"

export { expect }

export const password = "a password of some length"

export const unreachable = "The server cannot be reached. Nothing was lost; please check your connection and try again"

interface Account {
  username: string
  email: string
}

/** Prepares data for a journey through the API. Everything belongs to the user who is signed in on the page. */
export interface Given {
  account: () => Promise<Account>
  /** Registers a user and signs the page in. */
  user: () => Promise<Account>
  admin: () => Promise<void>
  collection: (name: string, description?: string) => Promise<number>
  environment: (collectionId: number, name: string, items?: { name: string; value: string }[]) => Promise<number>
  /** Returns the key. */
  apiKey: (environmentId: number, name: string) => Promise<string>
}

export const test = base.extend<{ given: Given; noConsoleErrors: undefined; noLeaks: undefined }, { server: Server }>({
  server: [
    async ({ playwright: _ }, use) => {
      const server = await startServer()
      await use(server)
      await server.dispose()
      expect(findLeaks()).toEqual([])
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server.url),
  given: async ({ page }, use) => use(given(page)),
  // A journey fails if a secret appears in a log, a URL or an error, no matter what it tests.
  noLeaks: [
    async ({ page }, use) => {
      const settled = watchPage(page)
      await use(undefined)
      await settled()
      expect(findLeaks()).toEqual([])
    },
    { auto: true },
  ],
  // A console error fails the journey: a blocked script or style would show up only there.
  noConsoleErrors: [
    async ({ page }, use) => {
      const errors: string[] = []
      page.on("pageerror", (error) => errors.push(error.message))
      page.on("console", (message) => {
        const isOurs = !message.text().startsWith("Failed to load resource")
        // Said after three seconds, and on a machine that is busy with something else the app takes longer to start. That
        // what is preloaded is used has a journey of its own, in collections.journey.ts.
        const isLate = message.text().includes("was preloaded using link preload but not used within a few seconds")
        if (isOurs && !isLate && ["error", "warning"].includes(message.type())) errors.push(message.text())
      })
      await use(undefined)
      expect(errors).toEqual([])
    },
    { auto: true },
  ],
})

/**
 * For a journey that `npm run test:long` makes, and `npm test` leaves out: one with many rows or tabs, with hostile files, at
 * another width, or about a case beside the usual one. `npm test` has ten minutes, and a browser takes half of them.
 */
export const long = { tag: "@long" }

/** Waits for a notification with exactly this message, and dismisses it so that the next one is a new one. */
export async function expectNotification(page: Page, sentence: string): Promise<void> {
  const alert = page.getByRole("alert").filter({ has: page.getByText(sentence, { exact: true }) })
  // One with the same sentence may still be leaving.
  await expect(alert).toHaveCount(1)
  await expect(alert).toBeVisible()
  // Not a real click, which would move the focus.
  await alert.getByRole("button", { name: "Dismiss" }).dispatchEvent("click")
  await expect(alert).toHaveCount(0)
}

/** Chooses an entry of the "…" menu of an environment. */
export async function chooseMore(environment: Locator, action: string): Promise<void> {
  await environment.getByRole("button", { name: "More actions" }).click()
  await environment.page().getByRole("menuitem", { name: action }).click()
}

/** Pastes text into a field, as the user does with the keyboard. */
export async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`)
  await field.press("ControlOrMeta+v")
}

function given(page: Page): Given {
  async function send(
    path: string,
    data: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ id: number; key?: string }> {
    registerSecretsIn(data)
    const response = await page.request.post(`/api${path}`, { data, headers })
    const body = (await response.json()) as { error: boolean; msg: string; data: { id: number; key?: string } }
    if (body.error) throw new Error(`${path}: ${body.msg}`)
    return body.data
  }

  async function account(): Promise<Account> {
    const username = `user-${randomUUID().slice(0, 8)}`
    const email = `${username}@example.com`
    const from = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`
    await send("/users/register", { username, email, password, password2: password }, { "x-forwarded-for": from })
    return { username, email }
  }

  return {
    account,
    async user() {
      const made = await account()
      await send("/users/login", { email: made.email, password })
      return made
    },
    async admin() {
      await send("/users/login", admin)
    },
    async collection(name, description = "") {
      return (await send("/collection", { name, description })).id
    },
    async environment(collectionId, name, items = []) {
      const { id } = await send("/subcollection", { name, collectionId })
      if (items.length > 0) await send(`/subcollection/${id}/bulk`, items)
      return id
    },
    async apiKey(environmentId, name) {
      const { key = "" } = await send("/api-key", { name, subCollectionId: environmentId })
      return key
    },
  }
}
