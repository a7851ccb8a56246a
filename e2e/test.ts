import { randomUUID } from "node:crypto"
import { findLeaks, registerSecretsIn } from "@envkeep/testing/leaks.ts"
import { test as base, expect, type Page } from "@playwright/test"
import { hearPage } from "./leaks.ts"
import { admin, type Server, startServer } from "./server.ts"

export { expect }

export const password = "a password of some length"

export const unreachable = "The server cannot be reached. Nothing was lost; please check your connection and try again"

export interface Account {
  username: string
  email: string
}

/** Prepares what a journey starts from, without clicking. Everything is made for whoever the page is signed in as. */
export interface Given {
  account: () => Promise<Account>
  /** Registers somebody and signs the page in as them. */
  user: () => Promise<Account>
  admin: () => Promise<void>
  collection: (name: string, description?: string) => Promise<number>
  environment: (collectionId: number, name: string, items?: { name: string; value: string }[]) => Promise<number>
  apiKey: (environmentId: number, name: string) => Promise<void>
}

export const test = base.extend<{ given: Given; quiet: undefined; discreet: undefined }, { server: Server }>({
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
  // A journey in which a secret gets into a log, an address or an error fails, whatever it is about.
  discreet: [
    async ({ page }, use) => {
      const settled = hearPage(page)
      await use(undefined)
      await settled()
      expect(findLeaks()).toEqual([])
    },
    { auto: true },
  ],
  // A screen that works but complains in the console does not work: a refused script or style would hide there.
  quiet: [
    async ({ page }, use) => {
      const complaints: string[] = []
      page.on("pageerror", (error) => complaints.push(error.message))
      page.on("console", (message) => {
        const isOurs = !message.text().startsWith("Failed to load resource")
        if (isOurs && ["error", "warning"].includes(message.type())) complaints.push(message.text())
      })
      await use(undefined)
      expect(complaints).toEqual([])
    },
    { auto: true },
  ],
})

/** Waits for a notification with exactly this sentence, and puts it away so that the next one is a new one. */
export async function said(page: Page, sentence: string): Promise<void> {
  const alert = page.getByRole("alert").filter({ has: page.getByText(sentence, { exact: true }) })
  await expect(alert).toBeVisible()
  // Not a real click, which would take the focus from where the journey wants to see it.
  await alert.getByRole("button", { name: "Dismiss" }).dispatchEvent("click")
  await expect(alert).toHaveCount(0)
}

function given(page: Page): Given {
  async function send(path: string, data: unknown): Promise<{ id: number }> {
    registerSecretsIn(data)
    const response = await page.request.post(`/api${path}`, { data })
    const body = (await response.json()) as { error: boolean; msg: string; data: { id: number } }
    if (body.error) throw new Error(`${path}: ${body.msg}`)
    return body.data
  }

  async function account(): Promise<Account> {
    const username = `user-${randomUUID().slice(0, 8)}`
    const email = `${username}@example.com`
    await send("/users/register", { username, email, password, password2: password })
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
      await send("/api-key", { name, subCollectionId: environmentId })
    },
  }
}
