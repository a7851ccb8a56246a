import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser, BrowserContext } from "@playwright/test"
import { type Limit, type ScreenCost, screenCosts } from "./costs.ts"
import { type SaveCost, saveCosts } from "./save-costs.ts"
import { items } from "./screens/example.ts"
import { startServer } from "./server.ts"
import { setVisibility } from "./tab.ts"
import { test as base, expect, type Given, long, password } from "./test.ts"
import { type Moved, Wire } from "./wire.ts"

const minuteMs = 60_000
/** The live stream may send a heartbeat of 3 bytes by the real clock. */
const nothing: Limit = [0, 15]
const noMailServer = "smtp://127.0.0.1:1"

// A server of its own: what its administrator sees does not depend on other journeys.
const test = base.extend({
  server: [
    async ({ playwright: _ }, use) => {
      const server = await startServer({ SMTP_URL: noMailServer })
      await use(server)
      await server.dispose()
    },
    { scope: "worker" },
  ],
})

/** The screens that most users open most. `npm run test:long` visits all. */
const usual = ["landing", "dashboard", "collection"]

test("the table of costs has every screen, and no other", () => {
  const router = readFileSync(join(import.meta.dirname, "../web/src/app/router.tsx"), "utf8")
  const routed = [...router.matchAll(/, screens\.(\w+)|(?<=loadScreen\()screens\.(\w+)/g)].map(
    ([, name, first]) => name ?? first,
  )
  expect(Object.keys(screenCosts).toSorted()).toEqual(routed.toSorted())
})

for (const [which, how] of [
  ["the usual screens", {}],
  ["every screen", long],
] as const) {
  test(
    `${which} cost what the table says to open, nothing while no one uses them, and little to show again`,
    how,
    async ({ page, given, browser, server }) => {
      test.slow()
      const places = await prepare(page.context(), given)
      const admin = { baseURL: server.url, storageState: await page.context().storageState() }
      const rows = Object.entries(screenCosts).filter(([name]) => which === "every screen" || usual.includes(name))
      const counted: Counted[] = []
      for (const [name, cost] of rows) {
        if (cost.as === "newcomer") counted.push(...(await countAsNewcomer(name, cost, browser)))
        else counted.push(...(await count(name, cost, { browser, places, ...(cost.as === "guest" ? {} : admin) })))
      }
      const over = counted.filter(isOver).map(({ screen, what }) => `${screen}: ${what}`)
      expect(over, tableOf(counted)).toEqual([])
    },
  )
}

const usualSave = "a row"

for (const [which, how] of [
  ["the usual save", {}],
  ["every save", long],
] as const) {
  test(`${which} costs what the table says`, how, async ({ page, given, browser, server }) => {
    test.slow()
    const places = await prepare(page.context(), given)
    const admin = { baseURL: server.url, storageState: await page.context().storageState() }
    const rows = Object.entries(saveCosts).filter(([name]) => which === "every save" || name === usualSave)
    const counted: Counted[] = []
    for (const [name, cost] of rows) counted.push(await countSave(name, cost, { browser, places, ...admin }))
    const over = counted.filter(isOver).map(({ screen }) => screen)
    expect(over, tableOf(counted)).toEqual([])
  })
}

interface Counted {
  screen: string
  what: string
  moved: Moved
  limit: Limit
  calls: string[]
}

interface Visit {
  browser: Browser
  places: Record<string, string | number>
  baseURL?: string
  storageState?: Awaited<ReturnType<BrowserContext["storageState"]>>
}

/** In a browser with an empty cache, whose clock is moved. */
async function count(screen: string, cost: ScreenCost, { browser, places, ...options }: Visit): Promise<Counted[]> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.clock.install()
  const wire = await Wire.of(page)
  const pass = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) await page.clock.fastForward(minuteMs)
  }

  const opened = await wire.during(async () => {
    await page.goto(withPlaces(cost.at, places))
    await expect(page.getByRole("heading", { name: cost.heading, exact: true, level: 1 })).toBeVisible()
  })
  const idle = await wire.during(() => pass(10))
  const hidden = await wire.during(async () => {
    await setVisibility(page, "hidden")
    await pass(10)
  })
  const again = await wire.during(() => setVisibility(page, "visible"))
  await context.close()
  return [
    { screen, what: "opening, files", moved: opened.files, limit: cost.files, calls: [] },
    { screen, what: "opening, calls", moved: opened.api, limit: cost.api, calls: opened.calls },
    { screen, what: "not used", moved: idle.api, limit: nothing, calls: idle.calls },
    { screen, what: "hidden", moved: hidden.api, limit: nothing, calls: hidden.calls },
    { screen, what: "shown again", moved: again.api, limit: cost.again, calls: again.calls },
  ]
}

async function countSave(screen: string, cost: SaveCost, { browser, places, ...options }: Visit): Promise<Counted> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const wire = await Wire.of(page)
  await wire.during(() => page.goto(withPlaces(cost.at, places)))
  await wire.during(() => cost.edit(page))
  const { api, calls } = await wire.during(() => cost.save(page))
  await context.close()
  return { screen, what: "saving", moved: api, limit: cost.api, calls }
}

/** Only a server that requires a second factor shows its screen. */
async function countAsNewcomer(name: string, cost: ScreenCost, browser: Browser): Promise<Counted[]> {
  const server = await startServer({ ENVKEEP_REQUIRE_SECOND_FACTOR: "all" })
  const context = await browser.newContext({ baseURL: server.url })
  try {
    const account = { username: "newcomer", email: "newcomer@example.com", password, password2: password }
    await context.request.post("/api/users/register", { data: account })
    await context.request.post("/api/users/login", { data: { email: account.email, password } })
    const options = { baseURL: server.url, storageState: await context.storageState() }
    return await count(name, cost, { browser, places: {}, ...options })
  } finally {
    await context.close()
    await server.dispose()
  }
}

function withPlaces(at: string, places: Visit["places"]): string {
  return at.replace(/\{(\w+)\}/g, (_, place: string) => String(places[place]))
}

function isOver({ moved: { requests, bytes }, limit: [maxRequests, maxBytes] }: Counted): boolean {
  return requests > maxRequests || bytes > maxBytes
}

function tableOf(counted: readonly Counted[]): string {
  const lines = counted.map((one) => {
    const { requests, bytes } = one.moved
    const found = `${String(requests).padStart(4)} of ${String(one.limit[0]).padEnd(3)} ${String(bytes).padStart(9)} of ${String(one.limit[1]).padEnd(9)}`
    return `${isOver(one) ? "over" : "    "} ${one.screen.padEnd(20)} ${one.what.padEnd(16)} ${found} ${one.calls.join(", ")}`
  })
  return ["     screen               what             requests         bytes", ...lines].join("\n")
}

/** A collection with something on each of its screens, and a team. All belong to the administrator. */
async function prepare(context: BrowserContext, given: Given): Promise<Record<string, string | number>> {
  await given.admin()
  const post = async (path: string, data: unknown = {}) =>
    ((await (await context.request.post(`/api${path}`, { data })).json()) as { data: { id: number; secret: string } })
      .data
  const collection = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  const environment = await given.environment(collection, "production", items)
  await given.environment(collection, "staging", items.slice(0, 3))
  const { id: apiKey } = await post("/api-key", { name: "web-server-1", subCollectionId: environment })
  const { id: webhook } = await post(`/collections/${collection}/webhooks`, {
    url: "http://127.0.0.1:1/",
    isEnabled: false,
  })
  const person = { username: "joins", email: "joins@example.com", password, password2: password }
  await context.request.post("/api/users/register", { data: person })
  const { id: team } = await post("/teams", { name: "payments" })
  const { secret: invitation } = await post(`/collections/${collection}/invitations`, { role: "editor", maxUses: 5 })
  return { collection, environment, apiKey, webhook, team, invitation }
}
