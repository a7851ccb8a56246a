import { once } from "node:events"
import { type AddressInfo, connect, createServer } from "node:net"
import { setVisibility } from "./tab.ts"
import { expect, long, test } from "./test.ts"

// On the wire, with headers. The server compresses no answer of the API.

/** With the reload, and with all that the tab hears and reads meanwhile. */
const savedValueBytes = 70_000
/** Longer than the server takes to tell what runs. */
const quietMs = 6_000
/** Of the collection and of a new live stream, with what it tells. Most of it are headers. */
const shownAgainBytes = 2_000

/** Passes everything on to the server, and counts what the browser gets. */
async function openCounter(url: string) {
  const { hostname, port } = new URL(url)
  const counted = { bytes: 0 }
  const proxy = createServer((browser) => {
    const server = connect(Number(port), hostname)
    server.on("data", (chunk) => {
      counted.bytes += chunk.length
    })
    browser.pipe(server).pipe(browser)
    for (const [one, other] of [
      [browser, server],
      [server, browser],
    ] as const) {
      one.on("error", () => other.destroy())
      one.on("close", () => other.destroy())
    }
  })
  proxy.listen(0, "127.0.0.1")
  await once(proxy, "listening")
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, counted, close: () => proxy.close() }
}

test(
  "a saved value moves its environment, and a tab that is shown again moves next to nothing",
  long,
  async ({ page, given, server }) => {
    const counter = await openCounter(server.url)
    await given.user()
    const id = await given.collection("billing")
    let environmentId = 0
    for (let at = 0; at < 12; at++) {
      const items = Array.from({ length: 400 }, (_, n) => ({
        name: `SOME_SETTING_${n}`,
        value: `the value ${n} of environment ${at}`,
      }))
      environmentId = await given.environment(id, `environment-${at}`, items)
      // A program runs with each, so that the stream has something to tell.
      const authorization = `Bearer ${await given.apiKey(environmentId, "deploy")}`
      await page.request.get("/api/v1/variables", { headers: { authorization, "envkeep-instance": "web-1;a" } })
    }
    const row = page.getByRole("listitem", { name: "SOME_SETTING_0", exact: true })
    /** What the browser gets until it is quiet. */
    const moved = async (act: () => Promise<void>) => {
      const before = counter.counted.bytes
      await act()
      await page.waitForLoadState("networkidle")
      let last: number
      do {
        last = counter.counted.bytes
        await page.waitForTimeout(quietMs)
      } while (counter.counted.bytes > last)
      return last - before
    }

    const first = await moved(async () => {
      await page.goto(`${counter.url}/collection/${id}?env=${environmentId}`)
      await expect(row).toBeVisible()
      await expect(page.getByText("1 running")).toHaveCount(12)
      // The first sign of use loads the scripts of all other screens.
      await page.mouse.move(10, 10)
      await row.getByLabel("Value").fill("first-edit")
    })
    expect(first).toBeGreaterThan(10 * savedValueBytes)

    const save = await moved(async () => {
      await row.getByLabel("Value").fill("another-value")
      await row.getByRole("button", { name: "Save" }).click()
      await expect(page.getByText("Item updated successfully")).toBeVisible()
    })
    expect(save).toBeLessThan(savedValueBytes)

    const asked: string[] = []
    const reloaded = page.waitForResponse((response) => response.url().endsWith(`/api/collection/${id}`))
    page.on("request", (request) => asked.push(new URL(request.url()).pathname))
    const shownAgain = await moved(async () => {
      await setVisibility(page, "hidden")
      await page.waitForTimeout(500)
      await setVisibility(page, "visible")
      await reloaded
    })
    expect(asked.toSorted()).toEqual([`/api/collection/${id}`, `/api/collections/${id}/live`])
    expect(shownAgain).toBeLessThan(shownAgainBytes)
    counter.close()
  },
)

test("opening a collection reads once what its stream stands for", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production")
  const asked: string[] = []
  page.on("request", (request) => asked.push(new URL(request.url()).pathname))
  const followed = page.waitForResponse((response) => response.url().endsWith(`/api/collections/${id}/live`))
  await page.goto(`/collection/${id}`)
  await followed

  // The stream tells of this after its first event, and the screen then reads all of it again.
  await page.request.put(`/api/collection/${id}`, { data: { name: "payments", description: "" } })
  await expect(page.getByRole("heading", { name: "payments", level: 1 })).toBeVisible()
  for (const part of ["trash", "names"]) {
    const path = `/api/collections/${id}/${part}`
    await expect.poll(() => asked.filter((one) => one === path).length).toBe(2)
  }
})
